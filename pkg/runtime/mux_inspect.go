package runtime

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Inspect joins what the adapters see: a pool is that of the first adapter that has nodes of it,
// else that knows its capacity, and every workload counts once: where it is to be, if it is there. For an adapter that does not answer
// its last answer counts, because workloads that nobody sees would be taken for lost. What is
// recalled counts for one that has never answered; where nothing is, that is an error.
func (m *Mux) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	seen, err := m.inspect(ctx, platform)
	if err != nil || m.beside == nil {
		return seen, err
	}
	aside, err := m.beside.Inspect(ctx, platform)
	if len(aside.Workloads) > 0 {
		seen.Workloads = slices.SortedStableFunc(slices.Values(slices.Concat(seen.Workloads, aside.Workloads)), compareWorkloads)
	}
	return seen, err
}

func (m *Mux) inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	if len(m.lanes) == 1 {
		seen, err := m.lanes[0].Inspect(ctx, platform)
		if err == nil {
			m.lanes[0].answered()
		}
		return seen, err
	}
	errs := make([]error, len(m.lanes))
	answered := all(m, func(l *lane) *atomic.Bool { return &l.looks },
		func(_ int, l *lane) error { return l.look(ctx, platform) }, func(i int, err error) { errs[i] = err })
	m.recall(platform)
	var joined model.Observation
	for i, l := range m.lanes {
		if !answered[i] {
			errs[i] = errBusy
		}
		seen, ever := l.last()
		if !ever {
			return model.Observation{}, fmt.Errorf("%s: %w", l.Name(), errs[i])
		}
		for _, p := range seen.Pools {
			switch known, ok := model.Find(joined.Pools, p.Name); {
			case !ok:
				joined.Pools = append(joined.Pools, p)
			case known.Nodes == 0 && (p.Nodes > 0 || known.Capacity.IsZero()):
				*known = p
			}
		}
		joined.Workloads = append(joined.Workloads, m.staying(i, seen.Workloads)...)
		joined.Shortfalls = append(joined.Shortfalls, seen.Shortfalls...)
	}
	slices.SortStableFunc(joined.Pools, func(x, y model.Pool) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortStableFunc(joined.Workloads, func(x, y model.Workload) int { return cmp.Or(compareWorkloads(x, y), y.Ready-x.Ready) })
	joined.Workloads = slices.CompactFunc(joined.Workloads, func(x, y model.Workload) bool { return compareWorkloads(x, y) == 0 })
	slices.SortFunc(joined.Shortfalls, func(x, y model.Shortfall) int { return x.Compare(&y) })
	return joined, nil
}

// staying returns the workloads of a lane without those that have moved, and are there.
func (m *Mux) staying(lane int, all []model.Workload) []model.Workload {
	m.moving.Lock()
	defer m.moving.Unlock()
	if len(m.moves) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(w model.Workload) bool {
		to, moves := m.moves[w.App][w.Component]
		return moves && to != lane && m.lanes[to].has(w.App, w.Component)
	})
}

// compareWorkloads orders them as a model.Observation has them.
func compareWorkloads(x, y model.Workload) int { return x.Key().Compare(y.Key()) }

// look inspects the runtime, and remembers what it shows.
func (l *lane) look(ctx context.Context, platform *model.Platform) error {
	seen, err := l.Inspect(ctx, platform)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.shown, l.again = &seen, time.Now(), true
	return nil
}

// answered notes that the adapter has answered.
func (l *lane) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = time.Now()
}

// last returns what the adapter saw last, or is recalled to have; false if neither is known.
func (l *lane) last() (model.Observation, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		return model.Observation{}, false
	}
	return *l.seen, true
}

// Drifted returns, in order, the applications of which others changed something in any
// runtime, and those of which a runtime missed that something is to go while it was away.
func (m *Mux) Drifted() []model.AppID {
	var all []model.AppID
	for _, l := range m.lanes {
		all = append(append(all, l.Drifted()...), l.missed()...)
	}
	slices.SortFunc(all, model.AppID.Compare)
	return slices.Compact(all)
}

// missed returns what the adapter was to lose, once it has answered since.
func (l *lane) missed() (apps []model.AppID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again {
		apps = slices.Collect(maps.Keys(l.owed))
		clear(l.owed)
	}
	return apps
}
