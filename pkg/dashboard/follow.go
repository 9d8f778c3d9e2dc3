package dashboard

import (
	"context"
	"sync"
	"time"
)

// follower holds what the newest commit of the branch says, and looks for newer ones.
type follower struct {
	branch Branch
	now    func() time.Time

	mu      sync.Mutex
	newest  *Moment   // nil before the first look that succeeded
	looked  time.Time // the last time that looking succeeded
	failed  error     // why it fails now
	changed chan struct{}
}

func newFollower(b Branch, now func() time.Time) *follower {
	return &follower{branch: b, now: now, changed: make(chan struct{})}
}

// look asks the branch once.
func (f *follower) look(ctx context.Context) {
	m, err := f.branch.Load(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed = err; err == nil {
		f.looked = f.now()
	}
	if m.Ledger == nil || f.newest != nil && f.newest.Commit == m.Commit {
		return // the last good answer stays
	}
	f.newest = &m
	close(f.changed)
	f.changed = make(chan struct{})
}

// run looks in intervals, and sooner at a hint, until ctx ends.
func (f *follower) run(ctx context.Context, every time.Duration, hints <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-hints:
		}
		f.look(ctx)
	}
}

// tip returns the newest moment, nil if none could be read yet, and a channel that is closed when there is a newer one.
func (f *follower) tip() (*Moment, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest, f.changed
}

// state returns when looking last succeeded, and why it fails now.
func (f *follower) state() (looked time.Time, failed error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.looked, f.failed
}
