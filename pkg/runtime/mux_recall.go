package runtime

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Recall says what the runtimes showed before this process began. It counts for adapters that have
// not answered yet, so that one which is away holds nobody else back when a process starts. It is
// called before the first Inspect.
func (m *Mux) Recall(r model.Recalled) {
	if len(m.lanes) > 1 {
		m.recalled = &r
	}
}

// recall gives every adapter that has not answered the pools and workloads that it is recalled to
// have. A workload that another adapter shows is there. One that none shows is where it was to run,
// if that is away, and else with an adapter that is away and carries it: it may have been about to move.
func (m *Mux) recall(platform *model.Platform) {
	var away []*lane
	for _, l := range m.lanes {
		if l.since().IsZero() {
			away = append(away, l)
		}
	}
	if len(away) == 0 {
		m.recalled = nil
	}
	if m.recalled == nil {
		return
	}
	assumed := make([]model.Observation, len(away))
	at := func(w *model.RecalledWorkload, pool *model.PoolSpec) int {
		return slices.IndexFunc(away, func(l *lane) bool { return l.Carries(w.Spec, pool) == nil })
	}
	for i := range m.recalled.Workloads {
		w := &m.recalled.Workloads[i]
		if m.shows(&w.Workload) {
			continue
		}
		pool, _ := model.Find(platform.Pools, w.Pool)
		to := at(w, pool)
		if to < 0 {
			to = at(w, nil)
		}
		if to >= 0 {
			assumed[to].Workloads = append(assumed[to].Workloads, w.Workload)
		}
	}
	for i := range m.recalled.Pools {
		p := &m.recalled.Pools[i]
		pool, declared := model.Find(platform.Pools, p.Name)
		for k := 0; declared && k < len(m.recalled.Workloads); k++ {
			if to := at(&m.recalled.Workloads[k], pool); to >= 0 {
				assumed[to].Pools = append(assumed[to].Pools, *p)
				break
			}
		}
	}
	for i, l := range away {
		slices.SortStableFunc(assumed[i].Workloads, compareWorkloads)
		l.assume(&assumed[i])
	}
}

// shows reports whether an adapter that has answered showed a workload last.
func (m *Mux) shows(w *model.Workload) bool {
	return slices.ContainsFunc(m.lanes, func(l *lane) bool {
		return !l.since().IsZero() && slices.ContainsFunc(l.of(w.App, w.Component), func(s model.Workload) bool { return compareWorkloads(s, *w) == 0 })
	})
}

// assume takes what an adapter is recalled to have for what it has, unless it has answered since.
func (l *lane) assume(seen *model.Observation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown.IsZero() {
		l.seen = seen
	}
}

// since returns when the adapter answered last, zero if it never did.
func (l *lane) since() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown
}

// View is when a runtime last showed what it has. Zero: it did not since the process began.
type View struct {
	Runtime string
	At      time.Time
}

// Views returns those of all runtimes that could be away. It is for concurrent use.
func (m *Mux) Views() (list []View) {
	for _, l := range m.lanes {
		list = append(list, View{l.Name(), l.since()})
	}
	return list
}
