package pool

import (
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/leashed"
)

// Bounds of what the background holds in memory. What is turned away is asked again.
const (
	maxWaiting = 64 << 20 // bytes of requests that wait, of all tenants
	maxOfOne   = 8 << 20  // of one tenant, beside its first request
	maxUnkept  = 64 << 20 // bytes of answers that could not be written
)

// gather is how long answers gather before they are told: each makes a pass.
const gather = time.Second

// A job is a request that is evaluated.
type job struct {
	tenant, key string
	request     []byte
	waiting     bool            // it is in the background: nobody waits for its answer
	yield       chan<- struct{} // closed when it has to give up its place; nil: it keeps it
}

// background has the evaluations that nobody waits for. They take all places but one.
type background struct {
	running  int
	jobs     map[string]*job   // by key: those under way and those that wait
	queues   map[string][]*job // those that wait, by tenant
	bytes    int               // of their requests
	unkept   map[string][]byte // answers that are not on disk
	answered chan struct{}
	telling  bool // answered is about to get a value
}

// keep keeps an answer that the disk does not.
func (b *background) keep(key string, answer []byte) {
	size := len(answer)
	for _, other := range b.unkept {
		size += len(other)
	}
	if size > maxUnkept {
		clear(b.unkept)
	}
	b.unkept[key] = answer
}

// Answered has a value when evaluations have ended that nobody waited for: the requests are
// worth asking again.
func (p *Pool) Answered() <-chan struct{} { return p.background.answered }

// put has a job wait for a place in the background, unless too much waits.
func (p *Pool) put(j *job) {
	b := &p.background
	waiting := 0
	for _, other := range b.queues[j.tenant] {
		waiting += len(other.request)
	}
	if waiting > 0 && waiting+len(j.request) > maxOfOne || b.bytes > 0 && b.bytes+len(j.request) > maxWaiting || p.ctx.Err() != nil {
		return
	}
	j.waiting = true
	b.jobs[j.key] = j
	b.queues[j.tenant] = append(b.queues[j.tenant], j)
	b.bytes += len(j.request)
	p.books.of(j.tenant, time.Now()).jobs++
	p.dispatch()
}

// next returns whose job begins: of those that wait, the tenant that has the largest part
// left of its budget.
func (p *Pool) next(now time.Time) (next string) {
	for tenant := range p.background.queues {
		if next == "" || p.books.of(tenant, now).part() > p.books.of(next, now).part() {
			next = tenant
		}
	}
	return next
}

// dispatch begins jobs while there are places for them.
func (p *Pool) dispatch() {
	b := &p.background
	for now := time.Now(); b.running < cap(p.places)-1 && len(b.queues) > 0; {
		next := p.next(now)
		j := b.queues[next][0]
		if b.queues[next] = b.queues[next][1:]; len(b.queues[next]) == 0 {
			delete(b.queues, next)
		}
		b.bytes -= len(j.request)
		b.running++
		yield := make(chan struct{})
		j.yield = yield
		go func() {
			answer, work, err := p.work(j, leashed.Leash{Deadline: p.options.Deadline, Yield: yield})
			if err == leashed.ErrPreempted { // whoever wants it asks again
				p.mu.Lock()
				p.books.of(j.tenant, time.Now()).charge(work, 0)
				p.mu.Unlock()
			} else {
				_ = p.settle(j, answer, work, err) // who asks again learns it
			}
			p.leave(j)
		}()
	}
}

// makeRoom has a job give up its place in the background to one of a tenant, if it is one of a tenant that
// failed and has less left.
func (p *Pool) makeRoom(tenant string) bool {
	now := time.Now()
	mine := p.books.of(tenant, now)
	for _, j := range p.background.jobs {
		if a := p.books.of(j.tenant, now); j.yield != nil && a.Failed > 0 && a.part() < mine.part() && j.tenant != tenant {
			close(j.yield)
			j.yield = nil
			return true
		}
	}
	return false
}

// leave ends a job of the background.
func (p *Pool) leave(j *job) {
	p.done.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	b, a := &p.background, p.books.of(j.tenant, time.Now())
	b.running--
	delete(b.jobs, j.key)
	a.jobs--
	if a.Failed > 0 { // what waits may fail as well: it has to be asked again, in its turn
		for _, other := range b.queues[j.tenant] {
			delete(b.jobs, other.key)
			b.bytes -= len(other.request)
			a.jobs--
		}
		delete(b.queues, j.tenant)
	}
	p.dispatch()
	p.tell()
}

// tell announces answers: at once if nothing is left to do, else after a while, together.
func (p *Pool) tell() {
	b := &p.background
	announce := func() {
		select {
		case b.answered <- struct{}{}:
		default:
		}
	}
	if b.running == 0 {
		announce()
		return
	}
	if b.telling {
		return
	}
	b.telling = true
	time.AfterFunc(gather, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		b.telling = false
		announce()
	})
}

// await evaluates a job that a caller waits for. When that takes longer than the caller's patience it goes
// on in the background, or waits there if no place is left.
func (p *Pool) await(j *job, patience time.Duration) ([]byte, error) {
	type outcome struct {
		answer []byte
		err    error
	}
	done := make(chan outcome, 2) // one is read
	postponed := outcome{err: &evaluate.Postponed{Tenant: j.tenant}}
	move := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		b := &p.background
		if j.waiting {
			return true // it was moved before its child was killed
		}
		if b.running >= cap(p.places)-1 && !p.makeRoom(j.tenant) {
			return false
		}
		j.waiting = true
		b.jobs[j.key] = j
		b.running++
		a := p.books.of(j.tenant, time.Now())
		a.charge(0, patience)
		a.jobs++
		done <- postponed
		return true
	}
	go func() {
		answer, work, err := p.work(j, leashed.Leash{Deadline: p.options.Deadline, Patience: patience, Longest: p.longest, Slow: move})
		if err == leashed.ErrPreempted {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.books.of(j.tenant, time.Now()).charge(work, work)
			p.put(j)
			done <- postponed
			return
		}
		err = p.settle(j, answer, work, err)
		if done <- (outcome{answer, err}); j.waiting {
			p.leave(j)
		}
	}()
	o := <-done
	return o.answer, o.err
}
