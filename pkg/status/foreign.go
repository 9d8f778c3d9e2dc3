package status

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/page"
)

// ForeignCommit is a tip of the branch that was not believed, or that somebody deleted.
type ForeignCommit struct {
	Commit  string
	Why     string // a clause: "is not signed"
	At      time.Time
	Deleted bool // it was the tip of the branch, which was deleted
}

// A branch is saved over at most maxForeign foreign tips in foreignTime.
const (
	maxForeign  = 6
	foreignTime = time.Hour
)

// foreignTold is how long the first page tells of a foreign tip.
const foreignTold = 24 * time.Hour

// ForeignError reports that nothing may be decided because of a foreign tip: no save that
// verifies is left, or too many foreign tips came one after the other.
type ForeignError struct {
	Commit string
	Why    string
	Many   bool // a save that verifies is known
}

func (e *ForeignError) Error() string {
	if e.Many {
		return fmt.Sprintf("commit %s of the status branch %s; it is one of more than %d in an hour, and is not saved over before they are older; find out who can push to the branch",
			e.Commit, e.Why, maxForeign)
	}
	return fmt.Sprintf(`commit %s of the status branch %s, and no save that verifies is left; if what it says is right, start once with "--status-accept %s"`, e.Commit, e.Why, e.Commit)
}

// Foreign returns the latest tips that this process found and did not believe, or found
// deleted, and how many there were.
func (b *Branch) Foreign() (latest []ForeignCommit, count int) {
	now := b.shown.Load()
	return slices.Clone(now.foreign), now.foreigns
}

// noteForeign keeps that a tip is not believed.
func (b *Branch) noteForeign(found *unbelieved) {
	commit := found.commit.String()
	if slices.ContainsFunc(b.foreign, func(f ForeignCommit) bool { return f.Commit == commit }) {
		return
	}
	b.foreign = append(b.foreign[max(0, len(b.foreign)-2*maxForeign):], ForeignCommit{Commit: commit, Why: found.why, At: b.o.Now()})
	b.foreigns++
}

// noteDeleted keeps that somebody deleted the branch.
func (b *Branch) noteDeleted() {
	if b.state.head != git.ZeroHash {
		b.foreign = append(b.foreign[max(0, len(b.foreign)-2*maxForeign):], ForeignCommit{b.state.head.String(), "was deleted", b.o.Now(), true})
		b.foreigns++
	}
}

// foreignLately returns the tips that were not believed and are told on the first page.
func (b *Branch) foreignLately() (told []page.Foreign) {
	for _, f := range b.foreign {
		if !f.Deleted && b.o.Now().Sub(f.At) < foreignTold {
			told = append(told, page.Foreign{Commit: f.Commit, Why: f.Why, Found: f.At})
		}
	}
	return told
}

// FromMemory reports whether what Load returned last is not what the branch holds: its tip
// was not believed, or the branch was deleted.
func (b *Branch) FromMemory() bool {
	s := b.shown.Load().state
	return s != nil && (s.foreign || s.head == git.ZeroHash && s.ledger.Identity.ID != "")
}

// goOn returns the last save that verified, to be saved whole on top of a foreign tip: the
// evidence stays, and nothing of it is read.
func (b *Branch) goOn(ctx context.Context, found *unbelieved) (*state, error) {
	b.noteForeign(found)
	recent := 0
	for i := range b.foreign {
		if !b.foreign[i].Deleted && b.o.Now().Sub(b.foreign[i].At) < foreignTime {
			recent++
		}
	}
	if recent > maxForeign && b.taken {
		return nil, &ForeignError{Commit: found.commit.String(), Why: found.why, Many: true}
	}
	last, err := b.lastSave(ctx, found.parent)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for a save that verifies behind it: %w", err)
	case last == nil:
		return nil, &ForeignError{Commit: found.commit.String(), Why: found.why}
	}
	next := last.deleted()
	next.head, next.foreign = found.commit, true
	return next, nil
}

// lastSave returns the last save that verifies which this process holds, which this machine
// keeps or which is behind a foreign tip, nil if there is none. Another reconciler may have
// saved after this one, so what is behind the tip is looked at although one is held.
func (b *Branch) lastSave(ctx context.Context, behind git.Hash) (*state, error) {
	var last *state
	if b.taken {
		last = b.state
	} else if tip, ok := git.ParseHash(b.copied.Commit); ok && b.kept != nil {
		if store, ok := b.kept.Store(tip); ok {
			last = b.readBelieved(store, tip)
		}
	}
	if last != nil && last.head == behind {
		return last, nil
	}
	found, err := b.savedBehind(ctx, behind)
	switch {
	case last == nil && found == nil:
		return nil, err
	case found == nil || last != nil && (found.ledger.Identity.ID != last.ledger.Identity.ID || last.ledger.Identity.Sequence >= found.ledger.Identity.Sequence):
		return last, nil
	}
	return found, b.recall(ctx, found)
}
