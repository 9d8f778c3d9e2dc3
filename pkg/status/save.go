package status

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
)

// Commit saves next, which was computed from previous. It returns the ledger that the
// branch holds then, as Load would, and whether anything was written. When the error is
// nil the remote has it: only then act on it. ErrMoved reports that somebody else wrote.
// After any other error the branch holds the old ledger, or the new one if only the
// answer was lost: the next Load finds out.
//
// A branch in an older major format is migrated first, by a commit of its own in
// the same push.
func (b *Branch) Commit(ctx context.Context, previous, next model.Ledger) (saved model.Ledger, changed bool, err error) {
	defer b.work()()
	if changed, err = b.save(ctx, previous, next); errors.Is(err, ErrMoved) {
		return model.Ledger{}, false, ErrMoved
	} else if err != nil {
		return model.Ledger{}, false, fmt.Errorf("save status: %w", err)
	}
	return b.state.ledger, changed, nil
}

func (b *Branch) save(ctx context.Context, previous, next model.Ledger) (changed bool, err error) {
	if b.pending != nil {
		if err := b.settle(ctx); err != nil {
			return false, err
		}
	}
	if b.state == nil || previous.Revision != b.state.ledger.Revision {
		return false, ErrMoved
	}
	objects, from := git.NewObjects(), *b.state
	base := &from
	base.shown = page.Branch{Open: b.o.Signing == nil, Foreign: b.foreignLately(), Links: b.o.Links}
	base.nodes = b.o.Nodes
	next.Identity = base.following(next.Identity)
	if base.format.Major < Current.Major {
		if base, err = b.migrated(objects, base, Current, next.Identity); err != nil {
			return false, err
		}
	}
	plan, err := base.plan(&next)
	if err != nil {
		return false, err
	}
	saved := base
	if plan == nil {
		same := *base
		same.given = givenBy(&next)
		saved = &same
	} else {
		saved = plan.apply(objects)
		if saved.tree.hash != base.tree.hash || base.head == git.ZeroHash {
			if err := b.commit(objects, base.head, saved, plan.message(b.o.WrittenBy)); err != nil {
				return false, err
			}
		}
	}
	if saved.head == b.state.head {
		b.state = saved // the branch holds it already
		if b.kept.Grown() {
			b.kept.Fetch(ctx, b.remote, saved.head) // nothing waits for this pass
		}
		return false, nil
	}
	return b.push(ctx, saved, objects)
}

// push moves the branch from where it was last seen to saved.
func (b *Branch) push(ctx context.Context, saved *state, objects *git.Objects) (changed bool, err error) {
	if err := b.within(b.limits().Allow(saved.tree.count)); err != nil {
		return false, err // nobody could read it
	}
	first := b.state.head == git.ZeroHash || b.state.foreign
	if !first {
		b.kept.Append(objects)
	}
	err = b.remote.Push(ctx, git.Branch(b.o.Branch), b.state.head, saved.head, objects)
	switch {
	case err == nil:
		b.state, b.taken, b.asked = saved, true, time.Now()
		if first { // the copy of a branch that was lost stays until then
			b.kept.Clear()
			b.kept.Append(objects)
		}
		if b.kept.Overgrown() {
			b.kept.Fetch(ctx, b.remote, saved.head)
		}
		b.noteKept()
		return true, nil
	case errors.Is(err, git.ErrRefMoved):
		return false, b.moved()
	}
	// The push may have gone through although the answer did not.
	b.pending = saved
	if settled := b.settle(ctx); settled == nil && b.state == saved {
		return true, nil
	} else if errors.Is(settled, ErrMoved) {
		return false, ErrMoved
	}
	return false, err
}

// settle finds out whether a push without an answer has arrived, and sets the state
// accordingly.
func (b *Branch) settle(ctx context.Context) error {
	refs, err := b.remote.Refs(ctx)
	if err != nil {
		return err
	}
	switch refs[git.Branch(b.o.Branch)].Commit {
	case b.pending.head:
		b.state, b.taken = b.pending, true
	case b.state.head:
	default:
		return b.moved()
	}
	b.pending, b.asked = nil, time.Now()
	return nil
}

// moved makes the next Load ask the remote. The last ledger is kept, in case the branch
// was deleted.
func (b *Branch) moved() error {
	b.asked = time.Time{}
	return ErrMoved
}

// commit adds the commit object of a state after its parent, signed if the branch is.
func (b *Branch) commit(objects *git.Objects, parent git.Hash, s *state, message string) (err error) {
	made := git.NewCommit{
		Tree:    s.tree.hash,
		Parent:  parent,
		Name:    b.o.Author.Name,
		Email:   b.o.Author.Email,
		Time:    b.o.Now(),
		Message: message,
	}
	switch {
	case b.o.Signing == nil && s.signed, b.o.Signing != nil && b.o.Signing.Key == nil:
		return errors.New("the branch is signed; name the key of the reconciler with --status-key")
	case b.o.Signing == nil:
		s.head = objects.AddCommit(made)
		return nil
	case s.ledger.Identity.ID == "":
		return errors.New("a ledger without an id cannot be signed")
	}
	made.Message += b.seals(s.ledger.Identity)
	s.head, err = objects.AddSignedCommit(made, b.o.Signing.Key)
	s.signed = true
	return err
}
