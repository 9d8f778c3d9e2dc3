package status

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Load returns the ledger on the branch, which is empty if the branch does not exist.
// When the branch is deleted while the process runs, nothing is lost: Load returns the
// last ledger, and the next Commit writes it again.
func (b *Branch) Load(ctx context.Context) (model.Ledger, error) {
	if now := b.shown.Load(); now.recent(b.o.Recheck) {
		return now.state.ledger, nil
	}
	defer b.work()()
	if b.recent(b.o.Recheck) { // somebody else has just asked
		return b.state.ledger, nil
	}
	err := retry(ctx, func() error { return b.load(ctx) })
	if err == nil {
		if b.pending, b.asked = nil, time.Now(); b.o.Keep {
			b.asked = time.Time{} // it is to be accepted yet, and people may bring another one back
		}
		b.noticeFormat()
		return b.state.ledger, nil
	}
	if unknown := (*FormatError)(nil); errors.As(err, &unknown) {
		return model.Ledger{}, unknown
	}
	if foreign := (*ForeignError)(nil); errors.As(err, &foreign) {
		return model.Ledger{}, foreign
	}
	return model.Ledger{}, fmt.Errorf("load status branch: %w", b.within(err))
}

// recent reports whether the branch was seen, or written, less than a time ago.
func (k *known) recent(within time.Duration) bool {
	return k.state != nil && k.pending == nil && within > 0 && time.Since(k.asked) < within
}

// noticeFormat calls Notice once if the branch has a newer minor format.
func (b *Branch) noticeFormat() {
	if b.o.Notice != nil && b.state.format.newer(Current) {
		b.o.Notice(fmt.Sprintf("status branch has format %s, this program knows %s: it keeps the fields that it does not know; upgrade it (docs/upgrade.md)",
			b.state.format, Current))
		b.o.Notice = nil
	}
}

// attempts bounds how often something is tried while others write.
const attempts = 5

// retry calls read again when the branch has moved on between listing and fetching.
func retry(ctx context.Context, read func() error) (err error) {
	for range attempts {
		err = read()
		if fetch := (*git.FetchError)(nil); !errors.As(err, &fetch) || ctx.Err() != nil {
			break
		}
	}
	return err
}

func (b *Branch) load(ctx context.Context) error {
	refs, err := b.remote.Refs(ctx)
	if err != nil {
		return err
	}
	tip := refs[git.Branch(b.o.Branch)].Commit
	switch {
	case b.pending != nil && tip == b.pending.head:
		b.state, b.taken = b.pending, true
	case b.state != nil && tip == b.state.head:
	case tip == git.ZeroHash && b.taken:
		b.noteDeleted()
		b.state = b.state.deleted()
	case tip == git.ZeroHash:
		b.state = newState()
	default:
		s, err := b.fetch(ctx, tip)
		if found := (*unbelieved)(nil); errors.As(err, &found) {
			s, err = b.goOn(ctx, found)
		}
		if err != nil {
			return err
		}
		b.state = s
	}
	return nil
}

// fetch reads the tip, and only the tip, in memory: the history is of no use to
// the writer and grows without bound. A process that starts reads its copy of the
// branch first. If that does not hold all of the tip, the branch itself does. A process
// that has read the branch, and keeps no copy, reads what has changed since.
func (b *Branch) fetch(ctx context.Context, tip git.Hash) (*state, error) {
	if s, err := b.follow(ctx, tip); s != nil || err != nil {
		return s, err
	}
	if b.state == nil {
		if store, ok := b.kept.Store(tip); ok {
			if s, err := b.readTip(store, tip); err == nil {
				return s, b.recall(ctx, s)
			}
		}
	}
	store := b.kept.NewStore()
	if err := b.remote.FetchCommit(ctx, store, tip, b.arrives(tip)); err != nil {
		return nil, err
	}
	c, err := store.Commit(tip)
	if err != nil {
		return nil, err
	}
	if b.state != nil && c.TreeHash == b.state.tree.hash && len(b.state.ledger.Damaged) == 0 {
		s := *b.state // only the history differs: it was compacted
		s.head = tip
		return &s, nil
	}
	s, err := readState(store, tip, b.limits())
	if err != nil {
		return nil, err
	}
	// Somebody else wrote, and the pages may be theirs. So the next Commit writes
	// every page again; pages that are right cost nothing.
	s.stale = b.state != nil
	return s, b.recall(ctx, s)
}

// arrives returns what is done with the tip when it arrives, before anything else of it.
func (b *Branch) arrives(tip git.Hash) func(git.Signed) error {
	return func(c git.Signed) error {
		b.arrived = arrived{tip, c}
		return b.verifyTip(tip, c)
	}
}

// maxBetween is how many commits behind the tip a process may be that follows the branch.
const maxBetween = 32

// follow reads the tip from what differs from the state that was read last. It returns nil
// where the tip has to be read whole: where it does not follow that state, or anything
// about it is out of the ordinary. A copy that is kept has to be whole.
func (b *Branch) follow(ctx context.Context, tip git.Hash) (*state, error) {
	if b.state == nil || !b.state.shares() || b.kept != nil {
		return nil, nil
	}
	store := git.NewMemoryStore()
	err := b.remote.FetchSince(ctx, store, tip, b.state.head, maxBetween, b.arrives(tip))
	if errors.As(err, new(*unbelieved)) || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	s, err := b.state.since(store, tip, b.limits())
	if err != nil {
		return nil, nil
	}
	s.stale = s.stale || s.tree != b.state.tree // as in fetch
	return s, nil
}
