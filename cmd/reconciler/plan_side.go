package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// side is one state of the fleet repo.
type side struct {
	name      string // for people
	commit    string // uncommitted for a work tree with changes
	files     *clone.Files
	at        func(commit string) (evaluate.Files, error)
	confirmed int // removals that the commit confirms
	requests  access.Requests
	fleet     model.Fleet
}

// head evaluates a revision, or with "" the files as they lie on disk.
func (o *offline) head(ctx context.Context, revision string) (*side, error) {
	w := o.tree
	if revision != "" || w.Clean(ctx) {
		commit, err := w.Revision(ctx, cmp.Or(revision, "HEAD"))
		if err != nil {
			return nil, err
		}
		return o.commit(ctx, cmp.Or(revision, "the work tree"), commit)
	}
	files, err := w.Files(ctx)
	if err != nil {
		return nil, err
	}
	s := &side{name: "the work tree", commit: uncommitted, files: files, at: w.At(ctx, "HEAD")}
	return s, o.evaluate(ctx, s)
}

// base evaluates the commit at which head left a branch: what the branch has got
// since is no part of the change.
func (o *offline) base(ctx context.Context, branch string, head *side) (*side, error) {
	w := o.tree
	if !w.Git {
		return nil, fmt.Errorf("%s is in no Git repository, so there is nothing to compare with", w.Root)
	}
	tip, err := w.BranchTip(ctx, branch)
	if err == nil && tip == "" {
		tip, err = w.Revision(ctx, branch)
	}
	if err != nil {
		return nil, fmt.Errorf("--base: %w", err)
	}
	from := head.commit
	if from == uncommitted {
		from = "HEAD"
	}
	commit, err := clone.Line(ctx, w.Root, "merge-base", tip, from)
	if err != nil {
		return nil, fmt.Errorf("%s and %s have no commit in common here; a shallow clone lacks it: \"git fetch --unshallow\" completes it", branch, head.name)
	}
	if since, err := clone.Line(ctx, w.Root, "rev-list", "--count", commit+".."+tip); err == nil && since != "0" {
		o.note("%s has %s more commits than this change starts from; merge or rebase to see both together", branch, since)
	}
	return o.commit(ctx, branch, commit)
}

// commit evaluates a commit.
func (o *offline) commit(ctx context.Context, name, commit string) (*side, error) {
	files, err := o.tree.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	message, err := clone.Output(ctx, o.tree.Root, "show", "--no-patch", "--format=%B", commit)
	if err != nil {
		return nil, err
	}
	s := &side{name: name, commit: commit, files: files, at: o.tree.At(ctx, commit), confirmed: source.ConfirmRemoval(string(message))}
	return s, o.evaluate(ctx, s)
}

func (o *offline) evaluate(ctx context.Context, s *side) error {
	v, err := o.assessor.assess(ctx, s.commit, s.files, s.at)
	if err != nil {
		return err
	}
	s.fleet = v.fleet
	if o.tree.Git {
		s.requests, err = o.requests(ctx, s)
	}
	return err
}
