package status

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// At returns the ledger as a commit of the branch has it. A commit that is not on the
// branch is a *CommitError, and so is one that no trusted key has signed, where only what
// trusted keys sign is believed. Moments that were asked for lately are held.
func (b *Branch) At(ctx context.Context, commit string) (model.Ledger, error) {
	store, h, err := b.onBranch(ctx, commit)
	if err != nil {
		return model.Ledger{}, fmt.Errorf("read status history: %w", err)
	}
	if s := b.moments.at(h); s != nil {
		return s.ledger, nil
	}
	defer b.archive.read()()
	m, err := b.moment(ctx, store, h)
	if err != nil {
		return model.Ledger{}, fmt.Errorf("read status history: commit %s: %w", h, err)
	}
	b.moments.hold(m)
	return m.state.ledger, nil
}

// moment reads the branch as it was at a commit.
func (b *Branch) moment(ctx context.Context, store *git.Store, h git.Hash) (moment, error) {
	c, err := store.Signed(h)
	if err != nil {
		return moment{}, err
	}
	if _, err := b.verify(h, c); err != nil {
		return moment{}, err
	}
	p, err := readPast(store, h)
	if err != nil {
		return moment{}, err
	}
	s, err := readState(store, h, b.limits())
	if err == nil {
		err = recall(ctx, store, h, &s.ledger, func(commit git.Hash) bool { return b.believes(store, commit) })
	}
	return moment{p.time, s}, err
}

// moment is the branch as it was at a time. It is immutable.
type moment struct {
	time  time.Time
	state *state
}

// moments holds the moments that were asked for last.
type moments struct {
	mu   sync.Mutex
	held []moment // the latest used first
}

// maxMoments bounds how many moments are held.
const maxMoments = 8

// at returns the state at a commit, nil if it is not held.
func (m *moments) at(commit git.Hash) *state {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, held := range m.held {
		if held.state.head == commit {
			copy(m.held[1:i+1], m.held[:i])
			m.held[0] = held
			return held.state
		}
	}
	return nil
}

func (m *moments) hold(made moment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = slices.Insert(m.held, 0, made)
	m.held = m.held[:min(len(m.held), maxMoments)]
}
