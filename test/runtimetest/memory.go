package runtimetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// Memory is the adapter of a machine.
type Memory struct {
	carrier.Carrier
	Pool string // that its machine is of
	*Machine
	changed chan struct{}
	known   map[part]bool // that were not as wanted when it looked last
}

// NewMemory returns an adapter over a machine that is a pool.
func NewMemory(of carrier.Carrier, pool string, machine *Machine) *Memory {
	m := &Memory{Carrier: of, Pool: pool, Machine: machine, changed: make(chan struct{}, 1), known: map[part]bool{}}
	machine.mu.Lock()
	defer machine.mu.Unlock()
	machine.changed = append(machine.changed, m.changed)
	return m
}

// Name is what people call it.
func (m *Memory) Name() string { return m.Carrier.Name }

// Carries returns why the adapter does not carry a component in a pool.
func (m *Memory) Carries(c *model.Component, pool *model.PoolSpec) error {
	if pool != nil && pool.Name != m.Pool {
		return fmt.Errorf("%s has pool %s", m.Name(), m.Pool)
	}
	return m.Carrier.Carries(c)
}

// Act has the machine hold what the assignments say.
func (m *Memory) Act(ctx context.Context, list []runtime.Assignment) (report runtime.Report) {
	report.Outcomes = make([]runtime.Outcome, len(list))
	report.Err = cmp.Or(m.begin(ctx.Done()), ctx.Err())
	for i := range list {
		report.Outcomes[i].App = list[i].App
		if report.Err == nil {
			report.Outcomes[i] = m.hold(&list[i])
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return report
}

// Inspect shows the machine.
func (m *Memory) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	if err := cmp.Or(m.begin(ctx.Done()), ctx.Err()); err != nil {
		return model.Observation{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var seen model.Observation
	for i := range platform.Pools {
		pool := model.Pool{Name: platform.Pools[i].Name}
		if pool.Name == m.Pool {
			pool.Nodes, pool.Capacity, pool.Largest = 1, m.size, m.size
		}
		seen.Pools = append(seen.Pools, pool)
	}
	for _, p := range slices.SortedFunc(maps.Keys(m.parts), compareParts) {
		is := m.parts[p]
		w := model.Workload{App: p.app, Component: p.component, Intent: p.intent, Digest: is.digest, Replicas: is.replicas, Ready: is.replicas, Current: !is.edited, Done: is.finite, Failure: is.failure}
		if is.failure != nil {
			w.Ready = 0
		}
		seen.Workloads = append(seen.Workloads, w)
	}
	return seen, nil
}

// Drifted returns the applications that others changed.
func (m *Memory) Drifted() (apps []model.AppID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, is := range m.parts {
		if is.edited && !m.known[p] {
			apps = append(apps, p.app)
		}
		m.known[p] = is.edited
	}
	slices.SortFunc(apps, model.AppID.Compare)
	return slices.Compact(apps)
}

// Changed gets a value when the machine changes.
func (m *Memory) Changed() <-chan struct{} { return m.changed }

// Close does nothing: what runs keeps running.
func (m *Memory) Close() {}

func compareParts(x, y part) int {
	return cmp.Or(x.app.Compare(y.app), strings.Compare(x.component, y.component), strings.Compare(x.intent, y.intent))
}
