package pinned

import (
	"slices"
	"sync"
	"time"
)

// Bounds of fetches.
const (
	maxAtOnce  = 4  // of all tenants; one of each
	maxWaiting = 64 // of one tenant
	firstWait  = 15 * time.Second
	maxWait    = 10 * time.Minute
	maxFailed  = 10_000
)

// fetches are those under way, those that wait, and those that failed.
type fetches struct {
	running  sync.WaitGroup
	places   chan struct{}
	queues   map[string][]wanted // by tenant that one is fetched for
	failures map[wanted]failure
}

// failure is why a fetch failed, and until when it is not tried again.
type failure struct {
	err   error
	wait  time.Duration
	until time.Time
}

// want has something fetched for a tenant, unless that is under way or failed lately. A tenant
// fetches one at a time, so that what hangs holds up nobody else.
func (s *Store) want(tenant string, p wanted) {
	f := &s.fetches
	queue, running := f.queues[tenant]
	if len(queue) == maxWaiting || time.Now().Before(f.failures[p].until) || s.ctx.Err() != nil || slices.Contains(queue, p) {
		return
	}
	f.queues[tenant] = append(queue, p)
	if !running {
		f.running.Go(func() { s.work(tenant) })
	}
}

// work fetches what a tenant wants, one after the other.
func (s *Store) work(tenant string) {
	for {
		s.mu.Lock()
		queue := s.fetches.queues[tenant]
		if len(queue) == 0 || s.ctx.Err() != nil {
			delete(s.fetches.queues, tenant)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		s.fetches.places <- struct{}{}
		err := s.fetch(queue[0])
		<-s.fetches.places
		s.mu.Lock()
		s.fetches.queues[tenant] = s.fetches.queues[tenant][1:]
		s.fetches.note(queue[0], err)
		s.mu.Unlock()
		select {
		case s.fetched <- struct{}{}:
		default:
		}
	}
}

// note remembers how a fetch ended. After each failure the wait is longer.
func (f *fetches) note(p wanted, err error) {
	if err == nil {
		delete(f.failures, p)
		return
	}
	if len(f.failures) >= maxFailed {
		clear(f.failures)
	}
	wait := min(max(firstWait, 2*f.failures[p].wait), maxWait)
	f.failures[p] = failure{err, wait, time.Now().Add(wait)}
}
