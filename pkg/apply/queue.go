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
	ctx    context.Context // when it ends, no further job is begun
	tenant string
	first  bool           // no other turn of its tenant begins before it has ended
	steps  []func() []job // each is called when the one before is done; must not block
	ended  func()         // is called at the end, nil: nobody is; must not block

	jobs    []job // of the present step, not yet taken
	running int
	begun   bool
}

// ready reports whether there is a job to take, and moves on to the next step when
// the present one is done.
func (t *turn) ready() bool {
	if t.ctx.Err() != nil {
		t.jobs, t.steps = nil, nil
	}
	for len(t.jobs) == 0 && t.running == 0 && len(t.steps) > 0 {
		t.begun = true
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
}

// queue does the jobs of turns, so many at a time as it has workers, and fairly: first those of
// the tenants with the fewest jobs under way, among their applications of those with the
// fewest, else in turn. While others have something to do, a tenant gets half of the workers
// at most. So neither a huge nor a slow application delays others.
//
// Where requests of a tenant had no answer, those that follow likely have none either: then
// the tenant has no more under way than half of the workers, late ones included, so that
// nobody waits for them once more.
type queue struct {
	workers int
	share   int                     // of the workers
	late    func(tenant string) int // requests under way that nobody waits for
	jobs    sync.WaitGroup          // under way

	mu      sync.Mutex
	running int
	lanes   []*lane // those with unfinished turns; the one that had a job last is last
}

// newQueue returns a queue with a number of workers. Late counts the requests of a tenant that
// nobody waits for.
func newQueue(workers int, late func(tenant string) int) *queue {
	return &queue{workers: workers, share: max(1, workers/2), late: late}
}

// add takes in turns, and returns at once.
func (q *queue) add(turns ...*turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range turns {
		i := slices.IndexFunc(q.lanes, func(l *lane) bool { return l.tenant == t.tenant })
		if i < 0 {
			i = len(q.lanes)
			q.lanes = append(q.lanes, &lane{tenant: t.tenant})
		}
		q.lanes[i].turns = append(q.lanes[i].turns, t)
	}
	q.dispatch()
}

// look begins what can be begun, and ends what was cancelled.
func (q *queue) look() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dispatch()
}

// dispatch begins all jobs that can be begun.
func (q *queue) dispatch() {
	for o := q.take(); o != nil; o = q.take() {
		q.jobs.Go(func() { q.work(o) })
	}
}

// work does a job, and others as long as there are any: the stack of this goroutine has grown already.
func (q *queue) work(o *order) {
	for ; o != nil; o = q.next(o) {
		o.do(o.turn.ctx)
	}
}

// order is a job that a worker has.
type order struct {
	do   job
	lane *lane
	turn *turn
}

// take returns a job to begin, nil if there is none or no worker is free.
func (q *queue) take() *order {
	l, t := q.pick()
	if t == nil || q.running == q.workers {
		return nil
	}
	q.lanes, l.turns = last(q.lanes, l), last(l.turns, t)
	o := &order{t.jobs[0], l, t}
	t.jobs = t.jobs[1:]
	q.count(o, 1)
	return o
}

// next ends a job, and returns another one to begin, nil if there is none.
func (q *queue) next(done *order) *order {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(done, -1)
	o := q.take()
	q.dispatch() // what the end of the job made possible beside that
	return o
}

func (q *queue) count(o *order, more int) {
	q.running += more
	o.lane.running += more
	o.turn.running += more
}

// pick returns the turn whose job is next, nil if none is ready. It forgets lanes and turns
// that are finished.
func (q *queue) pick() (from *lane, next *turn) {
	alone := len(q.lanes) == 1
	q.lanes = slices.DeleteFunc(q.lanes, func(l *lane) bool {
		if t := l.pick(); t != nil && (next == nil || l.running < from.running) && q.admits(l, alone) {
			from, next = l, t
		}
		return len(l.turns) == 0
	})
	if next == nil && !alone && len(q.lanes) == 1 {
		return q.pick() // it gets all workers
	}
	return from, next
}

// admits reports whether a tenant may have one more job under way. One that has too many late
// requests may have one at a time, which says so at once.
func (q *queue) admits(l *lane, alone bool) bool {
	if late := q.late(l.tenant); late > 0 {
		return l.running < max(1, q.share-late)
	}
	return alone || l.running < q.share
}

func (l *lane) pick() (next *turn) {
	first := slices.IndexFunc(l.turns, func(t *turn) bool { return t.first })
	held := first >= 0
	for i := 0; i < len(l.turns) && (next == nil || next.running > 0); {
		t := l.turns[i]
		if held && !t.first && !t.begun && t.ctx.Err() == nil {
			i++
			continue
		}
		if t.ready() && (next == nil || t.running < next.running) {
			next = t
		}
		if !t.finished() {
			i++
			continue
		}
		l.turns = slices.Delete(l.turns, i, i+1)
		if t.ended != nil {
			t.ended()
		}
	}
	if next == nil && held && !slices.ContainsFunc(l.turns, func(t *turn) bool { return t.first }) {
		return l.pick() // the others may begin
	}
	return next
}

// last moves one element to the end.
func last[T comparable](list []T, one T) []T {
	i := slices.Index(list, one)
	return append(slices.Delete(list, i, i+1), one)
}
