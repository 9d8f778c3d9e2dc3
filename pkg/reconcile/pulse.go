package reconcile

import (
	"sync"
	"sync/atomic"
	"time"
)

// pulse tells a loop that works for long from one that is stuck: something is always
// counted while it works.
type pulse struct {
	stages atomic.Int64 // that have begun

	mu    sync.Mutex
	since time.Time // when the count was seen to change last; zero: the loop does not run
	count int64
}

// start says that the loop runs from now on.
func (p *pulse) start(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = now
}

// rested returns for how long nothing was counted, as far as those who asked saw.
func (p *pulse) rested(counts []func() int64, now time.Time) time.Duration {
	n := p.stages.Load()
	for _, count := range counts {
		n += count()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		return 0
	}
	if n != p.count {
		p.count, p.since = n, now
	}
	return now.Sub(p.since)
}
