package runtime

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Patience is how long the Mux waits for an adapter after another one has answered.
const Patience = 2 * time.Second

// Mux is several adapters in one. All act and look at the same time. One that does not answer
// delays the others by its patience once: while it is busy, nobody waits for it, what it last
// saw counts, and what it was to do is due again.
type Mux struct {
	lanes   []*lane
	beside  Adapter // nil: there is none
	Changes         // of one of the runtimes
	*Background

	recalled *model.Recalled // until every adapter has shown what it has; nil: nothing

	moving sync.Mutex
	moves  map[model.AppID]map[string]int // the lanes to which components move, while others keep them
}

// lane is one adapter and what it is doing.
type lane struct {
	Adapter
	acts, looks atomic.Bool // a call of Act, of Inspect, has not ended

	mu    sync.Mutex
	seen  *model.Observation   // last, or as it is recalled; nil: nothing was
	shown time.Time            // when it answered last; zero: it never did
	owed  map[model.AppID]bool // was to lose what it may have of these while it did not answer
	again bool                 // it answers again
}

// NewMux returns a Mux of adapters, of which the first that carries a component gets it.
func NewMux(adapters ...Adapter) *Mux {
	m := &Mux{Changes: NewChanges(), Background: NewBackground(), moves: map[model.AppID]map[string]int{}}
	for _, a := range adapters {
		m.lanes = append(m.lanes, &lane{Adapter: a, owed: map[model.AppID]bool{}})
		m.Busy.Go(func() { m.forward(a.Changed()) })
	}
	return m
}

func (m *Mux) forward(from <-chan struct{}) {
	for {
		select {
		case <-m.Ctx.Done():
			return
		case <-from:
			m.Tell()
		}
	}
}

// Close closes all adapters, at the same time. It may be called again.
func (m *Mux) Close() {
	for _, l := range m.lanes {
		m.Busy.Go(l.Close)
	}
	if m.beside != nil {
		m.Busy.Go(m.beside.Close)
	}
	m.Background.Close()
}

// all calls do for every lane at the same time but for those in which an earlier call still
// runs, and gives take what each returned. It returns after all have answered, or the patience
// after the first has; answered is false for the lanes whose answer nobody took.
func all[T any](m *Mux, call func(*lane) *atomic.Bool, do func(int, *lane) T, take func(int, T)) (answered []bool) {
	type answer struct {
		at   int
		says T
	}
	answers := make(chan answer, len(m.lanes))
	answered = make([]bool, len(m.lanes))
	waiting := 0
	for i, l := range m.lanes {
		if !call(l).CompareAndSwap(false, true) {
			continue
		}
		waiting++
		go func() {
			says := do(i, l)
			call(l).Store(false)
			answers <- answer{i, says}
		}()
	}
	var late <-chan time.Time
	for ; waiting > 0; waiting-- {
		select {
		case a := <-answers:
			answered[a.at] = true
			take(a.at, a.says)
			if late == nil {
				late = time.After(Patience)
			}
		case <-late:
			return answered
		}
	}
	return answered
}

// ErrUnseen is that a runtime has not answered since this process began: nobody knows what it has.
var ErrUnseen = errors.New("has not shown yet what it has")

// errBusy is that an earlier call has not ended.
var errBusy = errors.New("has not answered yet")
