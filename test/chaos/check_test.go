package chaos

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// rhythm is how often the properties are checked, whatever is done at that moment.
const rhythm = 10 * time.Second

// checker checks the properties of a world.
type checker struct {
	broken context.Context // ends when a property does not hold, which is its cause
	fail   context.CancelCauseFunc
	early  chan chan struct{} // asks for a check out of the rhythm, and is told when it was made

	mu     sync.Mutex // held during a check, so that no fault begins or ends in the meantime
	on     *fault     // what is done; nil: nothing
	checks int
}

func newChecker() *checker {
	c := &checker{early: make(chan chan struct{})}
	c.broken, c.fail = context.WithCancelCause(context.Background())
	return c
}

// watchOver checks the properties until stop is called, or one does not hold.
func (w *world) watchOver() (stop func()) {
	ctx, cancel := context.WithCancel(w.checker.broken)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(rhythm)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				w.check()
			case made := <-w.checker.early:
				w.check()
				close(made)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// check checks each property that the fault which is on does not spare.
func (w *world) check() {
	c := w.checker
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checks++
	on := "nothing is done"
	if c.on != nil {
		on = c.on.name
	}
	for _, p := range properties {
		if c.on != nil && p.spares(c.on) {
			continue
		}
		if err := p.holds(w); err != nil {
			c.fail(fmt.Errorf("%s: %w\nfound by check %d, %.1fs after the start, while %s", p.name, err, c.checks, time.Since(w.began).Seconds(), on))
			return
		}
	}
}

// is tells the checker what is done from now on; nil: nothing. A check that runs ends before.
func (c *checker) is(on *fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = on
}

func (c *checker) made() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checks
}

// nextCheck waits until the properties were checked in their rhythm.
func (w *world) nextCheck() error {
	before := w.checker.made()
	return w.until("a check of the properties", func() error {
		if w.checker.made() > before {
			return context.Cause(w.checker.broken)
		}
		return fmt.Errorf("none was made")
	})
}

// holds has the properties checked at once.
func (w *world) holds() error {
	made := make(chan struct{})
	select {
	case w.checker.early <- made:
		<-made
	case <-w.checker.broken.Done():
	}
	return context.Cause(w.checker.broken)
}
