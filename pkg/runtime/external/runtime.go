package external

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// The most questions at a time.
const (
	maxQuestions       = 64
	maxTenantQuestions = 8
)

// Probe returns why what is at an address is not well, nil if it is. It may be at some hosts
// only. Probe of an *outbound.Prober is one.
type Probe func(ctx context.Context, address string, hosts []string) error

// Runtime asks what runs elsewhere whether it is well. Close ends the questions.
type Runtime struct {
	runtime.Base // changes of answers, and questions
	probe        Probe
	least        time.Duration // between two questions
	places       chan struct{}

	mu      sync.Mutex
	watches map[model.PartKey]*watch
	tenants map[string]chan struct{} // places of each
}

// New returns a runtime that asks nothing yet.
func New(probe Probe) *Runtime {
	return &Runtime{
		Base: runtime.NewBase(carrier.External), probe: probe, least: leastInterval, places: make(chan struct{}, maxQuestions),
		watches: map[model.PartKey]*watch{}, tenants: map[string]chan struct{}{},
	}
}

// Carries returns why it does not ask after a component, nil if it does. No pool has it.
func (*Runtime) Carries(c *model.Component, _ *model.PoolSpec) error {
	return carrier.External.Carries(c)
}

// Act asks after the components that the assignments name, and after no others of their
// applications. It reports no results, because it changes nothing.
func (r *Runtime) Act(ctx context.Context, list []runtime.Assignment) (report runtime.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report = runtime.NewReport(list)
	report.Err = ctx.Err()
	for i := range list {
		if report.Err == nil && !list[i].IsShared() {
			r.hold(&list[i])
		}
	}
	return report
}

// hold makes the questions those of an assignment.
func (r *Runtime) hold(a *runtime.Assignment) {
	wanted := map[string]bool{}
	for i := range a.Components {
		c := &a.Components[i]
		if wanted[c.Name] = true; c.Hold {
			continue
		}
		key, next := model.PartKey{App: a.App, Component: c.Name}, r.questionOf(a, c)
		now := r.watches[key]
		if now != nil && reflect.DeepEqual(now.question, next) {
			continue
		}
		if now != nil {
			now.stop()
		}
		r.watches[key] = r.watch(a.App.Tenant, next)
	}
	for key, w := range r.watches {
		if key.App == a.App && !wanted[key.Component] {
			w.stop()
			delete(r.watches, key)
		}
	}
}

// Inspect returns what was answered last. Of what has not answered anything yet it shows
// nothing, and it has no part of any pool.
func (r *Runtime) Inspect(ctx context.Context, platform *model.Platform) (seen model.Observation, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen.Pools = runtime.PoolsOf(platform, "", nil)
	for _, key := range slices.SortedFunc(maps.Keys(r.watches), model.PartKey.Compare) {
		if w, answered := r.watches[key].workload(); answered {
			w.App, w.Component = key.App, key.Component
			seen.Workloads = append(seen.Workloads, w)
		}
	}
	return seen, ctx.Err()
}

// hostsOf are those that policy allows: as far as it did when the spec was read, and does today.
func hostsOf(a *runtime.Assignment) (hosts []string) {
	if a.Instance != nil && a.Instance.Spec != nil {
		hosts = a.Instance.Spec.Policy.Egress
	}
	if a.Platform != nil {
		hosts = outbound.Within(hosts, a.Platform.Policy.Egress)
	}
	if a.Tenant != nil {
		hosts = outbound.Within(hosts, a.Tenant.Policy.Egress)
	}
	return hosts
}
