package apply

import (
	"context"
	"slices"
	"sync"
)

// job is one thing to do that needs the API server.
type job func(context.Context)

// turn is the work on one set: steps in order, the jobs of one step in parallel.
type turn struct {
	tenant  string
	steps   []func() []job // each is called when the one before is done; must not block
	jobs    []job          // of the present step, not yet taken
	running int
}

// ready reports whether there is a job to take, and moves on to the next step when
// the present one is done.
func (t *turn) ready() bool {
	for len(t.jobs) == 0 && t.running == 0 && len(t.steps) > 0 {
		step := t.steps[0]
		t.steps = t.steps[1:]
		t.jobs = step()
	}
	return len(t.jobs) > 0
}

func (t *turn) finished() bool { return len(t.jobs) == 0 && t.running == 0 && len(t.steps) == 0 }

// lane holds the unfinished turns of one tenant.
type lane struct {
	tenant  string
	turns   []*turn // the one that had a job last is last
	running int
	held    bool // it had late requests when it was asked last
}

// queue hands out jobs fairly: first to the tenants with the fewest jobs under
// way, among their applications to those with the fewest, else in turn. While others
// have something to do, a tenant gets half of the workers at most. So neither a huge
// nor a slow application delays others.
//
// Where requests of a tenant had no answer, those that follow likely have none either: then
// the tenant has no more under way than half of the workers, late ones included, so that
// the pass does not wait for them once more.
type queue struct {
	share int                     // of the workers
	late  func(tenant string) int // requests under way that nobody waits for
	mu    sync.Mutex
	more  *sync.Cond
	lanes []*lane // those with unfinished turns; the one that had a job last is last
}

// run does all turns with the given number of workers. When ctx ends, no further
// job is begun and run returns as soon as those under way have. Late counts the requests
// of a tenant that nobody waits for.
func run(ctx context.Context, workers int, turns []*turn, late func(tenant string) int) {
	q := &queue{share: max(1, workers/2), late: late}
	q.more = sync.NewCond(&q.mu)
	byTenant := map[string]*lane{}
	for _, t := range turns {
		if byTenant[t.tenant] == nil {
			byTenant[t.tenant] = &lane{tenant: t.tenant}
			q.lanes = append(q.lanes, byTenant[t.tenant])
		}
		byTenant[t.tenant].turns = append(byTenant[t.tenant].turns, t)
	}
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.more.Broadcast()
	})()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { q.work(ctx) })
	}
	group.Wait()
}

func (q *queue) work(ctx context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for ctx.Err() == nil {
		l, t := q.pick()
		if t == nil {
			if len(q.lanes) == 0 {
				q.more.Broadcast()
				return
			}
			q.more.Wait()
			continue
		}
		do := t.jobs[0]
		t.jobs = t.jobs[1:]
		l.running++
		t.running++
		q.mu.Unlock()
		do(ctx)
		q.mu.Lock()
		l.running--
		t.running--
		if t.running == 0 && len(t.jobs) == 0 || l.held {
			q.more.Broadcast() // its next step may have jobs, or its late requests have ended
		}
	}
}

// pick returns the turn whose job is next, nil if none is ready, and moves it and its
// lane to the end. It forgets lanes and turns that are finished.
func (q *queue) pick() (*lane, *turn) {
	var from *lane
	var next *turn
	alone := len(q.lanes) == 1
	q.lanes = slices.DeleteFunc(q.lanes, func(l *lane) bool {
		if next == nil || l.running < from.running {
			if t := l.pick(); t != nil && q.admits(l, alone) {
				from, next = l, t
			}
		}
		return len(l.turns) == 0
	})
	if !alone && len(q.lanes) == 1 {
		q.more.Broadcast() // it gets all workers
	}
	if next != nil {
		q.lanes = last(q.lanes, from)
		from.turns = last(from.turns, next)
	}
	return from, next
}

// admits reports whether a tenant may have one more job under way. One that has too many late
// requests may have one at a time, which says so at once.
func (q *queue) admits(l *lane, alone bool) bool {
	late := q.late(l.tenant)
	if l.held = late > 0; l.held {
		return l.running < max(1, q.share-late)
	}
	return alone || l.running < q.share
}

func (l *lane) pick() (next *turn) {
	for i := 0; i < len(l.turns) && (next == nil || next.running > 0); {
		t := l.turns[i]
		if t.ready() && (next == nil || t.running < next.running) {
			next = t
		}
		if t.finished() {
			l.turns = slices.Delete(l.turns, i, i+1)
		} else {
			i++
		}
	}
	return next
}

// last moves one element to the end.
func last[T comparable](list []T, one T) []T {
	i := slices.Index(list, one)
	return append(slices.Delete(list, i, i+1), one)
}
