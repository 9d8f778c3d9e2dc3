package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// uiDrafts previews drafts on the last commit of a clone. It reads the clone by itself, as others are previewed beside it.
type uiDrafts struct {
	*offline.Base
	uiEvaluators
	tree   *clone.Tree
	saving *uiSaving
}

// maxDrafts is how many drafts are previewed at a time.
const maxDrafts = 2

// openDrafts prepares to preview drafts, unless the files are in no Git repository. Evaluators start when they are needed. The caller calls
// end, whatever the error.
func openDrafts(cmd *cobra.Command, from *ledgerFlags, o offline.Options, saving *uiSaving) (all []dashboard.Drafts, end func(), err error) {
	var open []*uiDrafts
	end = func() {
		for _, d := range open {
			d.Close()
			d.tree.Close()
		}
	}
	for range maxDrafts {
		tree, err := clone.Open(cmd.Context(), from.repo)
		if err != nil {
			return nil, end, err
		}
		if !tree.Git {
			tree.Close()
			return nil, end, nil
		}
		d := &uiDrafts{tree: tree, saving: saving}
		d.Base, err = offline.OpenBase(cmd.Context(), d.of(o), offline.Case{Tree: tree, StatusBranch: from.branch}, "HEAD")
		if err != nil {
			tree.Close()
			return nil, end, err
		}
		open = append(open, d)
		all = append(all, d)
	}
	return all, end, nil
}

// Follow brings the commit and the status branch up to date.
func (d *uiDrafts) Follow(ctx context.Context, recorded offline.Recorded) error {
	return d.Base.Follow(ctx, recorded, present().UTC().Round(0))
}

// Save commits a preview onto a new branch.
func (d *uiDrafts) Save(ctx context.Context, p offline.Preview, message string, onto clone.DraftBranch) (clone.Saved, error) {
	return d.saving.save(ctx, d.tree, p, message, onto)
}

// Write writes a preview into the work tree.
func (d *uiDrafts) Write(ctx context.Context, p offline.Preview) error {
	return d.tree.Write(ctx, p.Changes...)
}
