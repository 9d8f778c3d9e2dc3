package status

import (
	"cmp"
	"context"
	"errors"
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
	if s := b.shown.Load().state; s != nil && s.head.String() == commit && s.head != git.ZeroHash && !s.foreign {
		return s.ledger, nil
	}
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
		return model.Ledger{}, fmt.Errorf("read status history: %w", err)
	}
	b.moments.hold(m, b.limits().bytes)
	return m.state.ledger, nil
}

// moment reads the branch as it was at a commit.
func (b *Branch) moment(ctx context.Context, store *git.Store, h git.Hash) (moment, error) {
	c, err := store.Signed(h)
	if err != nil {
		return moment{}, err
	}
	_, err = b.verify(h, c)
	if found := (*unbelieved)(nil); errors.As(err, &found) {
		return moment{}, &CommitError{h.String(), found.why}
	}
	p, err := readPast(store, h)
	if err != nil {
		return moment{}, err
	}
	if near := b.nearest(store, p.time); near != nil {
		if s, err := near.since(store, h, b.limits()); err == nil {
			return moment{p.time, s}, nil
		}
	}
	s, err := readState(store, h, b.limits())
	if err == nil {
		err = recall(ctx, store, h, &s.ledger, func(commit git.Hash) bool { return b.believes(store, commit) })
	}
	if err != nil {
		return moment{}, fmt.Errorf("commit %s: %w", h, err)
	}
	return moment{p.time, s}, nil
}

// nearest returns the state nearest to a time of those that are held, and the one that
// was read last.
func (b *Branch) nearest(store *git.Store, to time.Time) *state {
	var held []moment
	if s := b.shown.Load().state; s != nil && s.shares() {
		if p, err := readPast(store, s.head); err == nil {
			held = append(held, moment{p.time, s})
		}
	}
	held = append(held, b.moments.all()...)
	if len(held) == 0 {
		return nil
	}
	return slices.MinFunc(held, func(a, b moment) int { return cmp.Compare(to.Sub(a.time).Abs(), to.Sub(b.time).Abs()) }).state
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
	i := slices.IndexFunc(m.held, func(held moment) bool { return held.state.head == commit })
	if i < 0 {
		return nil
	}
	held := m.held[i]
	m.held = slices.Insert(slices.Delete(m.held, i, i+1), 0, held)
	return held.state
}

func (m *moments) all() []moment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.held)
}

// hold adds a moment. The records that were read for those that stay have at most so many
// bytes together, unless it is this one alone.
func (m *moments) hold(made moment, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := []moment{made}
	for _, old := range m.held {
		if bytes -= old.state.size; old.state.head != made.state.head && len(held) < maxMoments && bytes > made.state.size {
			held = append(held, old)
		}
	}
	m.held = held
}
