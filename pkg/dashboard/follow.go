package dashboard

import (
	"context"
	"sync"
	"time"
)

// follower holds what the newest commit of the branch says, and the commit that drafts start from, and looks for newer ones.
type follower struct {
	branch Branch
	head   func(ctx context.Context) string // the last commit of the clone; nil: there is none
	now    func() time.Time

	mu      sync.Mutex
	newest  *Moment   // nil before the first look that succeeded
	base    string    // that drafts start from, "" if nobody drafts
	looked  time.Time // the last time that looking succeeded
	failed  error     // why it fails now
	changed chan struct{}
}

// look asks the branch and the clone once. What cannot be read stays as it was.
func (f *follower) look(ctx context.Context) {
	m, err := f.branch.Load(ctx)
	base := ""
	if f.head != nil {
		base = f.head(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed = err; err == nil {
		f.looked = f.now()
	}
	newer := m.Ledger != nil && (f.newest == nil || f.newest.Commit != m.Commit)
	if newer {
		f.newest = &m
	}
	moved := base != "" && base != f.base
	if moved {
		f.base = base
	}
	if newer || moved {
		close(f.changed)
		f.changed = make(chan struct{})
	}
}

// lookAgain looks in intervals, and sooner at a hint, until ctx ends.
func lookAgain(ctx context.Context, every time.Duration, hints <-chan struct{}, look func(context.Context)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-hints:
		}
		look(ctx)
	}
}

// tip returns the newest moment, nil if none could be read yet, and a channel that is closed when it or what drafts start from is another.
func (f *follower) tip() (*Moment, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest, f.changed
}

// start returns the commit that drafts start from, "" if nobody drafts.
func (f *follower) start() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.base
}

// state returns when looking last succeeded, and why it fails now.
func (f *follower) state() (looked time.Time, failed error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.looked, f.failed
}
