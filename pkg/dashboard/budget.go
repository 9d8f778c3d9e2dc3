package dashboard

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
)

// maxWork is the CPU time that the questions, previews and plans of a person may take in a minute.
const maxWork = time.Minute

// budgets are what people have left of it: it comes back as time passes.
type budgets struct {
	now func() time.Time

	mu    sync.Mutex
	spent map[string]spent // of those who do not have all of it
}

// spent is CPU time that has not come back at a time.
type spent struct {
	work time.Duration
	at   time.Time
}

// as returns what is spent later on.
func (s spent) as(now time.Time) spent {
	return spent{max(0, s.work-max(0, now.Sub(s.at))), now}
}

func newBudgets(now func() time.Time) *budgets { return &budgets{now: now, spent: map[string]spent{}} }

// left returns an error that says when a person may ask again, if they have nothing left.
func (b *budgets) left(person string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	over := b.spent[person].as(b.now()).work - maxWork
	if over < 0 {
		return nil
	}
	over = max(over, time.Second)
	return tooMuch(over, "what you asked in the last minute took more than %s of CPU time; ask again in %.0f s", maxWork, math.Ceil(over.Seconds()))
}

// charge takes work off the budget of a person.
func (b *budgets) charge(person string, work time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	is := b.spent[person].as(now)
	is.work += max(0, work)
	b.spent[person] = is
	for name, other := range b.spent {
		if other.as(now).work == 0 {
			delete(b.spent, name)
		}
	}
}

// benches are where questions are answered: at most one at each. The one that was used last is the first to be used again, as it
// knows the fleet.
type benches struct {
	places chan struct{} // one element for each that is in use
	mu     sync.Mutex
	idle   []Worker
}

func newBenches(all []Worker) *benches {
	return &benches{places: make(chan struct{}, len(all)), idle: all}
}

// errBusy is that somebody waited for a place as long as for an answer.
var errBusy = later("two answers are made at a time, and others asked first; ask again in %.0f s", soon.Seconds())

// enter waits for a worker, in the order of who asks. Of people who share a dashboard, each has one at a time. Who enters calls leave.
func (s *Server) enter(ctx context.Context, v viewer) (w Worker, leave func(), err error) {
	places := []chan struct{}{s.workers.places}
	if s.Gate != nil {
		places = []chan struct{}{v.turn, s.workers.places}
	}
	for i, place := range places {
		select {
		case place <- struct{}{}:
		case <-ctx.Done():
			for _, entered := range places[:i] {
				<-entered
			}
			err := context.Cause(ctx)
			if late := (*refusal)(nil); errors.As(err, &late) && late.after > 0 {
				err = errBusy // it took the others too long
			}
			return nil, nil, err
		}
	}
	b := s.workers
	b.mu.Lock()
	defer b.mu.Unlock()
	last := len(b.idle) - 1
	w, b.idle = b.idle[last], b.idle[:last]
	return w, func() {
		b.mu.Lock()
		b.idle = append(b.idle, w)
		b.mu.Unlock()
		for _, place := range slices.Backward(places) {
			<-place
		}
	}, nil
}
