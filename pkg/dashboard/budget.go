package dashboard

import (
	"context"
	"errors"
	"math"
	"runtime"
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

// during charges a person for what a function does: the CPU time of its thread, and that of evaluators, which it returns.
func (b *budgets) during(person string, do func() (evaluators time.Duration)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	evaluators := time.Duration(0)
	defer func() { b.charge(person, threadTime()-began+evaluators) }() // also when it panics
	evaluators = do()
}

// errBusy is that somebody waited for a place as long as for an answer.
var errBusy = later("two answers are made at a time, and others asked first; ask again in %.0f s", soon.Seconds())

// enter waits for places, and for one of those of all that is evaluated, in the order of who asks. Of people who share a dashboard, each has
// one of these at a time. Who enters calls leave.
func (s *Server) enter(ctx context.Context, v viewer, places ...chan struct{}) (leave func(), err error) {
	if s.Gate != nil {
		places = append([]chan struct{}{v.turn}, places...)
	}
	places = append(places, s.workers)
	entered := 0
	leave = func() {
		for _, place := range slices.Backward(places[:entered]) {
			<-place
		}
	}
	for _, place := range places {
		select {
		case place <- struct{}{}:
			entered++
		case <-ctx.Done():
			leave()
			err := context.Cause(ctx)
			if late := (*refusal)(nil); errors.As(err, &late) && late.after > 0 {
				err = errBusy // it took the others too long
			}
			return nil, err
		}
	}
	return leave, nil
}
