package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// side is one state of the fleet repo.
type side struct {
	name      string // for people
	commit    string // uncommitted for a work tree with changes
	files     *fileTree
	at        func(commit string) (evaluate.Files, error)
	confirmed int // removals that the commit confirms
	requests  access.Requests
	fleet     model.Fleet
}

// head evaluates a revision, or with "" the files as they lie on disk.
func (o *offline) head(ctx context.Context, revision string) (*side, error) {
	w := o.tree
	if revision != "" || w.clean(ctx) {
		commit, err := w.revision(ctx, cmp.Or(revision, "HEAD"))
		if err != nil {
			return nil, err
		}
		return o.commit(ctx, cmp.Or(revision, "the work tree"), commit)
	}
	files, err := w.files(ctx)
	if err != nil {
		return nil, err
	}
	s := &side{name: "the work tree", commit: uncommitted, files: files, at: w.at(ctx)}
	return s, o.evaluate(ctx, s)
}

// base evaluates the commit at which head left a branch: what the branch has got
// since is no part of the change.
func (o *offline) base(ctx context.Context, branch string, head *side) (*side, error) {
	w := o.tree
	if !w.git {
		return nil, fmt.Errorf("%s is in no Git repository, so there is nothing to compare with", w.root)
	}
	tip, err := w.branchTip(ctx, branch)
	if err == nil && tip == "" {
		tip, err = w.revision(ctx, branch)
	}
	if err != nil {
		return nil, fmt.Errorf("--base: %w", err)
	}
	from := head.commit
	if from == uncommitted {
		from = "HEAD"
	}
	commit, err := gitLine(ctx, w.root, "merge-base", tip, from)
	if err != nil {
		return nil, fmt.Errorf("%s and %s have no commit in common here; a shallow clone lacks it: \"git fetch --unshallow\" completes it", branch, head.name)
	}
	if since, err := gitLine(ctx, w.root, "rev-list", "--count", commit+".."+tip); err == nil && since != "0" {
		o.note("%s has %s more commits than this change starts from; merge or rebase to see both together", branch, since)
	}
	return o.commit(ctx, branch, commit)
}

// commit evaluates a commit.
func (o *offline) commit(ctx context.Context, name, commit string) (*side, error) {
	files, err := o.tree.commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	message, err := gitOutput(ctx, o.tree.root, "show", "--no-patch", "--format=%B", commit)
	if err != nil {
		return nil, err
	}
	s := &side{name: name, commit: commit, files: files, at: o.tree.atOf(ctx, commit), confirmed: source.ConfirmRemoval(string(message))}
	return s, o.evaluate(ctx, s)
}

func (o *offline) evaluate(ctx context.Context, s *side) error {
	v, err := o.assessor.assess(ctx, s.commit, s.files, s.at)
	if err != nil {
		return err
	}
	s.fleet = v.fleet
	if o.tree.git {
		s.requests, err = o.requests(ctx, s)
	}
	return err
}

// revision returns the commit that people mean.
func (w *workTree) revision(ctx context.Context, name string) (string, error) {
	if !w.git {
		return "", fmt.Errorf("%s is in no Git repository, so there is no commit %s", w.root, name)
	}
	commit, err := gitLine(ctx, w.root, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%q names no commit of this clone; \"git fetch origin %s\" may bring it", name, strings.TrimPrefix(name, "origin/"))
	}
	return commit, nil
}

// clean reports whether what lies on disk is what was committed last.
func (w *workTree) clean(ctx context.Context) bool {
	if !w.git {
		return false
	}
	changed, err := gitLine(ctx, w.root, "status", "--porcelain", "--", ".")
	_, known := git.ParseHash(w.headCommit(ctx))
	return err == nil && changed == "" && known
}

func (w *workTree) headCommit(ctx context.Context) string {
	commit, _ := gitLine(ctx, w.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return commit
}
