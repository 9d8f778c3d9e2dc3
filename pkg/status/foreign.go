package status

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
)

// ForeignCommit is a tip of the branch that was not believed.
type ForeignCommit struct {
	Commit string
	Why    string // a clause: "is not signed"
	At     time.Time
}

// A branch is saved over at most maxForeign foreign tips in foreignTime.
const (
	maxForeign  = 6
	foreignTime = time.Hour
)

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

// Foreign returns the latest tips that this process found and did not believe, and how
// many there were.
func (b *Branch) Foreign() (latest []ForeignCommit, count int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.foreign), b.foreigns
}

// noteForeign keeps that a tip is not believed.
func (b *Branch) noteForeign(found *unbelieved) {
	commit := found.commit.String()
	if slices.ContainsFunc(b.foreign, func(f ForeignCommit) bool { return f.Commit == commit }) {
		return
	}
	b.foreign = append(b.foreign[max(0, len(b.foreign)-2*maxForeign):], ForeignCommit{commit, found.why, b.o.Now()})
	b.foreigns++
}

// goOn returns the last save that verified, to be saved whole on top of a foreign tip: the
// evidence stays, and nothing of it is read.
func (b *Branch) goOn(ctx context.Context, found *unbelieved) (*state, error) {
	b.noteForeign(found)
	last := b.state
	if last == nil {
		var err error
		if last, err = b.lastSave(ctx, found.parent); err != nil {
			return nil, fmt.Errorf("look for a save that verifies behind it: %w", err)
		}
	}
	if last == nil {
		return nil, &ForeignError{Commit: found.commit.String(), Why: found.why}
	}
	recent := 0
	for i := range b.foreign {
		if b.o.Now().Sub(b.foreign[i].At) < foreignTime {
			recent++
		}
	}
	if recent > maxForeign {
		return nil, &ForeignError{Commit: found.commit.String(), Why: found.why, Many: true}
	}
	next := last.deleted()
	next.head, next.foreign = found.commit, true
	return next, nil
}

// lastSave returns the last save that verifies which this machine keeps or which is behind
// a foreign tip, nil if there is none.
func (b *Branch) lastSave(ctx context.Context, behind git.Hash) (*state, error) {
	var kept *state
	if tip, ok := git.ParseHash(b.copied.Commit); ok && b.kept != nil {
		if store, ok := b.kept.Store(tip); ok {
			kept = b.readBelieved(store, tip)
		}
	}
	found, err := b.savedBehind(ctx, behind)
	switch {
	case kept == nil && found == nil:
		return nil, err
	case found == nil || kept != nil && kept.ledger.Identity.Sequence >= found.ledger.Identity.Sequence:
		return kept, nil
	}
	return found, b.recall(ctx, found)
}
