package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// uiQuestions answers what-if from the files of a clone as they lie on disk.
type uiQuestions struct {
	*offline.Base
	uiEvaluators
	tree    *clone.Tree
	options offline.Options
}

// openQuestions prepares to answer questions, unless the repo is no clone with files.
func openQuestions(cmd *cobra.Command, from *ledgerFlags, of *fleetFlags) (q *uiQuestions, ok bool, err error) {
	tree, err := clone.Open(cmd.Context(), from.repo)
	if err != nil {
		return nil, false, nil
	}
	o, err := of.options(cmd.Context(), io.Discard)
	if err == nil {
		q = &uiQuestions{tree: tree, options: o}
		q.Base, err = offline.OpenBase(cmd.Context(), q.of(o), offline.Case{Tree: tree, StatusBranch: from.branch}, "")
	}
	if err != nil {
		tree.Close()
		return nil, false, err
	}
	return q, true, nil
}

// Follow brings the files and the status branch up to date.
func (q *uiQuestions) Follow(ctx context.Context, recorded offline.Recorded) error {
	return q.Base.Follow(ctx, recorded, present().UTC().Round(0))
}

func (q *uiQuestions) close() {
	q.Close()
	q.tree.Close()
}
