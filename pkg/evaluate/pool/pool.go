package pool

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/leashed"
)

// Options of a pool.
type Options struct {
	// Command starts a child, which has to call Child. It is the program itself.
	Command []string
	// Dir keeps answers over restarts. It is a cache, safe to delete; "": none is kept.
	Dir string
	// Deadline of one evaluation in CPU time, 0 means 5 s. It counts CPU
	// time, so that a busy machine blames nobody.
	Deadline time.Duration
	// Memory of all children together, in bytes. 0 means as much as they can use.
	Memory int64
	// Budgets gives each tenant a budget of CPU time. Evaluations beyond it go on while nobody
	// waits, see Answered. Without budgets every caller waits for its answer.
	Budgets bool
	// Worked is told the CPU time of each request, from any goroutine. Nil is fine.
	Worked func(time.Duration)
}

// A Pool is an evaluate.Backend. Its children are started when they are needed.
type Pool struct {
	ctx     context.Context // of the program: the core that calls has none
	end     context.CancelFunc
	closed  sync.Once
	options Options
	places  chan *leashed.Process // nil: no child yet
	memory  int64                 // of a child
	answers *answers
	longest time.Duration // that a pass waits for one evaluation, by the clock
	done    atomic.Int64  // evaluations and calls by Run that have ended

	mu         sync.Mutex
	books      books
	background background
}

const maxServed = 2000 // then a child ends, with memory that its runtime never returns

// Open returns a pool that works until ctx ends.
func Open(ctx context.Context, o Options) (*Pool, error) {
	o.Deadline = cmp.Or(o.Deadline, 5*time.Second)
	p := &Pool{options: o, longest: foreground, background: background{
		jobs: map[string]*job{}, queues: map[string][]*job{}, unkept: map[string][]byte{}, answered: make(chan struct{}, 1),
	}}
	if o.Dir != "" {
		var err error
		if p.answers, err = openAnswers(o.Dir, o.Command[0], maxAnswers); err != nil {
			return nil, err
		}
	}
	least, kept := 1, ""
	if o.Budgets {
		least, kept = 2, o.Dir // one is never in the background
	}
	p.books = openBooks(kept, time.Now())
	var n int
	n, p.memory = divide(o.Memory, runtime.GOMAXPROCS(0), least)
	p.ctx, p.end = context.WithCancel(ctx)
	p.places = make(chan *leashed.Process, n)
	for range n {
		var child *leashed.Process
		if o.Budgets {
			child, _ = p.start() // it prepares while nobody waits; who cannot start one, says so when it is needed
		}
		p.places <- child
	}
	return p, nil
}

// Close ends the children, and what they evaluate in the background. The pool cannot be
// used afterwards.
func (p *Pool) Close() {
	p.closed.Do(func() {
		p.end()
		for range cap(p.places) {
			if child := <-p.places; child != nil {
				_ = child.Stop()
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.books.save(time.Now(), true)
	})
}

// Run calls do for each of 0 to n-1, as many at a time as there are children.
func (p *Pool) Run(n int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(cap(p.places))
	for i := range n {
		group.Go(func() error {
			do(i)
			p.done.Add(1)
			return nil
		})
	}
	_ = group.Wait() // nothing in it fails
}

// Evaluated counts the directories that were evaluated or recalled. It is for concurrent use.
func (p *Pool) Evaluated() int64 { return p.done.Load() }

// Recall returns an answer that is kept.
func (p *Pool) Recall(key string) ([]byte, bool) {
	if p.answers != nil {
		if answer, ok := p.answers.get(key); ok {
			return answer, true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	answer, ok := p.background.unkept[key]
	return answer, ok
}

// Refused returns why a request is not evaluated now, nil if it would be. After a request
// ended at a limit it is refused for a while, longer each time.
func (p *Pool) Refused(tenant, key string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused(tenant, key, time.Now())
}

func (p *Pool) refused(tenant, key string, now time.Time) error {
	if err := p.books.failures.recent(key, now); err != nil {
		return err
	}
	if p.limited(tenant) && (p.background.jobs[key] != nil || p.books.of(tenant, now).rests()) {
		return &evaluate.Postponed{Tenant: tenant}
	}
	return nil
}

// Allot sets the budgets of tenants that have another one than model.Work.
func (p *Pool) Allot(work map[string]time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.books.allotted = work
}

// limited reports whether a tenant has a budget. The platform, which has no name, has none.
func (p *Pool) limited(tenant string) bool { return p.options.Budgets && tenant != "" }

// Evaluate has a child answer a request, and keeps the answer. The error is a *Postponed
// if the request goes beyond what others wait for.
func (p *Pool) Evaluate(tenant, key string, request []byte) ([]byte, error) {
	if len(request) > leashed.MaxRequest {
		return nil, &evaluate.Exhausted{Limit: evaluate.Memory}
	}
	j := &job{tenant: tenant, key: key, request: request}
	p.mu.Lock()
	now := time.Now()
	err := p.refused(tenant, key, now)
	if err != nil || !p.limited(tenant) {
		p.mu.Unlock()
		if err != nil {
			return nil, err
		}
		answer, work, err := p.work(j, leashed.Leash{Deadline: p.options.Deadline})
		return answer, p.settle(j, answer, work, err)
	}
	a := p.books.of(tenant, now)
	if _, failed := p.books.failures[key]; failed || !a.waitedFor() {
		p.put(j)
		p.mu.Unlock()
		return nil, &evaluate.Postponed{Tenant: tenant}
	}
	patience := max(a.front, foreground/10)
	p.mu.Unlock()
	return p.await(j, patience)
}

// work has a child answer the request of a job, and returns how much CPU time that took.
func (p *Pool) work(j *job, l leashed.Leash) (answer []byte, work time.Duration, err error) {
	answer, work, err = p.try(j.request, l)
	if errors.Is(err, leashed.ErrKilled) {
		// The request need not be to blame. One whose child ends so twice needs too much memory.
		var again time.Duration
		if answer, again, err = p.try(j.request, l); errors.Is(err, leashed.ErrKilled) {
			err = &evaluate.Exhausted{Limit: evaluate.Memory}
		}
		work += again
	}
	return answer, work, err
}

// try asks a child once. Where the machine has threads for others, a child that got none had no memory for it.
func (p *Pool) try(request []byte, l leashed.Leash) (answer []byte, work time.Duration, err error) {
	answer, work, err = p.ask(request, l)
	if errors.Is(err, leashed.ErrNoThread) && p.startsChildren() {
		err = leashed.ErrKilled
	}
	return answer, work, err
}

func (p *Pool) start() (*leashed.Process, error) {
	return leashed.Start(leashed.Options{Command: p.options.Command, Memory: p.memory, Dir: "/"})
}

// startsChildren reports whether the machine has enough for a child that does nothing.
func (p *Pool) startsChildren() bool {
	child, err := p.start()
	if err != nil {
		return false
	}
	if _, err = child.Ask(p.ctx, nil, leashed.Leash{Deadline: p.options.Deadline}); err == nil {
		_ = child.Stop()
	}
	return err == nil
}

// settle keeps what a job came to, and returns its error.
func (p *Pool) settle(j *job, answer []byte, work time.Duration, err error) error {
	kept := err == nil && p.answers != nil && p.answers.put(j.key, answer)
	p.mu.Lock()
	defer p.mu.Unlock()
	tenant := ""
	if p.limited(j.tenant) {
		tenant = j.tenant
	}
	waited := work
	if j.waiting {
		waited = 0 // or booked when it was moved
	}
	if err != nil && !errors.As(err, new(*evaluate.Exhausted)) && p.ctx.Err() != nil {
		return err // the program ends
	}
	p.books.settle(tenant, j.key, work, waited, err, time.Now())
	if j.waiting && err == nil && !kept {
		p.background.keep(j.key, answer)
	}
	return err
}

func (p *Pool) ask(request []byte, l leashed.Leash) (answer []byte, work time.Duration, err error) {
	var child *leashed.Process
	select {
	case child = <-p.places:
	case <-p.ctx.Done():
		return nil, 0, p.ctx.Err()
	}
	defer func() { p.places <- child }()
	if child == nil {
		if child, err = p.start(); err != nil {
			child = nil
			return nil, 0, err
		}
	}
	answer, err = child.Ask(p.ctx, request, l)
	work = child.Worked
	if p.options.Worked != nil {
		p.options.Worked(work)
	}
	if err != nil {
		child = nil
		if p.options.Budgets && p.ctx.Err() == nil {
			child, _ = p.start() // else whoever is next waits until it has begun
		}
		return nil, work, err
	}
	if child.Served == maxServed {
		_ = child.Stop()
		child = nil
	}
	return answer, work, nil
}
