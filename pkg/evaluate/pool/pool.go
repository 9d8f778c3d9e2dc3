package pool

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/d-aros/d-aros/pkg/evaluate"
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
}

// A Pool is an evaluate.Backend. Its children are started when they are needed.
type Pool struct {
	ctx      context.Context // of the program: the core that calls has none
	options  Options
	places   chan *process // nil: no child yet
	answers  *answers
	failures failures
	done     atomic.Int64 // calls by Run that have returned
}

const (
	maxPlaces = 4    // more children than that need more memory than they save time
	maxServed = 2000 // then the child ends, with memory that its runtime never returns
)

// Open returns a pool that works until ctx ends.
func Open(ctx context.Context, o Options) (*Pool, error) {
	if o.Deadline == 0 {
		o.Deadline = 5 * time.Second
	}
	p := &Pool{ctx: ctx, options: o}
	if o.Dir != "" {
		var err error
		if p.answers, err = openAnswers(o.Dir, o.Command[0], maxAnswers); err != nil {
			return nil, err
		}
	}
	n := min(runtime.GOMAXPROCS(0), maxPlaces)
	p.places = make(chan *process, n)
	for range n {
		p.places <- nil
	}
	return p, nil
}

// Close ends the children. The pool cannot be used afterwards.
func (p *Pool) Close() {
	for range cap(p.places) {
		if child := <-p.places; child != nil {
			child.stop()
		}
	}
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

// Recall returns an answer that is kept on disk.
func (p *Pool) Recall(key string) ([]byte, bool) {
	if p.answers == nil {
		return nil, false
	}
	return p.answers.get(key)
}

// Evaluate has a child answer a request, and keeps the answer. After a request ended
// at a limit it fails at once for a while, longer each time.
func (p *Pool) Evaluate(key string, request []byte) ([]byte, error) {
	if len(request) > maxRequest {
		return nil, &evaluate.Exhausted{Limit: evaluate.Memory}
	}
	if err := p.failures.recent(key, time.Now()); err != nil {
		return nil, err
	}
	answer, err := p.ask(request)
	if errors.Is(err, errKilled) {
		// The request need not be to blame. One whose child ends so twice needs too much memory.
		if answer, err = p.ask(request); errors.Is(err, errKilled) {
			err = &evaluate.Exhausted{Limit: evaluate.Memory}
		}
	}
	var exhausted *evaluate.Exhausted
	switch {
	case errors.As(err, &exhausted):
		p.failures.add(key, exhausted, time.Now())
	case err == nil:
		p.failures.forget(key)
		if p.answers != nil {
			p.answers.put(key, answer)
		}
	}
	return answer, err
}

func (p *Pool) ask(request []byte) (answer []byte, err error) {
	child := <-p.places
	defer func() { p.places <- child }()
	if child == nil {
		if child, err = start(p.options.Command); err != nil {
			child = nil
			return nil, err
		}
	}
	if answer, err = child.ask(p.ctx, request, p.options.Deadline); err != nil {
		child = nil
		return nil, err
	}
	if child.served == maxServed {
		child.stop()
		child = nil
	}
	return answer, nil
}
