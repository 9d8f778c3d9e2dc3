package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/turn"
)

// side is one state of the fleet repo, evaluated.
type side struct {
	revision
	name     string // for people
	fleet    model.Fleet
	checked  *turn.Checked
	requests access.Requests
}

// description returns the side for an answer.
func (s *side) description() plan.Side {
	if s.commit == uncommitted {
		return plan.Side{Name: s.name}
	}
	return plan.Side{Name: s.name, Commit: s.commit}
}

// headSide evaluates a revision; "" stands for the files on disk.
func headSide(ctx context.Context, w *clone.Tree, a *assessor, revision string, n *notes) (side, error) {
	if revision != "" || w.Clean(ctx) {
		commit, err := w.Revision(ctx, cmp.Or(revision, "HEAD"))
		if err != nil {
			return side{}, err
		}
		return commitSide(ctx, w, a, cmp.Or(revision, "the work tree"), commit, n)
	}
	s := side{name: "the work tree"}
	files, err := w.Files(ctx)
	if err != nil {
		return s, err
	}
	s.commit, s.files, s.at = uncommitted, files, w.At(ctx, "HEAD")
	s.fleet, err = a.assess(ctx, s.revision)
	if s.checked = a.rendered; err != nil || !w.Git {
		return s, err
	}
	s.requests, err = workTreeRequests(ctx, w, a.evaluator, files, n)
	return s, err
}

// baseSide evaluates the commit at which head left a branch: later commits of the branch are no part of the change.
func baseSide(ctx context.Context, w *clone.Tree, a *assessor, branch string, head side, n *notes) (side, error) {
	if !w.Git {
		return side{}, fmt.Errorf("%s is in no Git repository, so there is nothing to compare with", w.Root)
	}
	tip, err := w.BranchTip(ctx, branch)
	if err == nil && tip == "" {
		tip, err = w.Revision(ctx, branch)
	}
	if err != nil {
		return side{}, fmt.Errorf("--base: %w", err)
	}
	from := head.commit
	if from == uncommitted {
		from = "HEAD"
	}
	if tip == from {
		return commitSide(ctx, w, a, branch, tip, n)
	}
	commit, err := clone.Line(ctx, w.Root, "merge-base", tip, from)
	if err != nil {
		return side{}, errors.Join(ctx.Err(), &UnrelatedError{branch, head.name})
	}
	if since, err := clone.Line(ctx, w.Root, "rev-list", "--count", commit+".."+tip); err == nil && since != "0" {
		n.add("%s has %s more commits than this change starts from; merge or rebase to see both together", branch, since)
	}
	return commitSide(ctx, w, a, branch, commit, n)
}

// commitSide evaluates a commit.
func commitSide(ctx context.Context, w *clone.Tree, a *assessor, name, commit string, n *notes) (side, error) {
	s := side{name: name}
	files, err := w.Commit(ctx, commit)
	if err != nil {
		return s, err
	}
	s.commit, s.files, s.at = commit, files, w.At(ctx, commit)
	s.fleet, err = a.assess(ctx, s.revision)
	if s.checked = a.rendered; err != nil {
		return s, err
	}
	s.requests, err = requests(ctx, w, a.evaluator, commit, files)
	return s, err
}

// UnrelatedError says that a change does not come from the branch that it is for.
type UnrelatedError struct{ Base, Head string }

func (e *UnrelatedError) Error() string {
	return fmt.Sprintf("%s and %s have no commit in common here; a shallow clone lacks it: \"git fetch --unshallow\" completes it", e.Base, e.Head)
}
