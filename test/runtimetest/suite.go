package runtimetest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// patience bounds each wait for a runtime, which may be on a busy machine.
const patience = 2 * time.Minute

// Subject is an adapter for the suite, and the hands on the runtime behind it.
type Subject struct {
	// Open starts another process over the same runtime. It is closed when the test ends.
	Open func(t testing.TB) runtime.Adapter
	// Behind is Open with a runtime between which and the adapter the connection can be cut, nil
	// for an adapter that has none.
	Behind func(t testing.TB) (adapter runtime.Adapter, cut func(bool))

	Tenant   model.Tenant
	Platform *model.Platform // with one pool
	Program  model.Component // that the adapter carries

	Registries []string // of images that policy allows

	Crashing json.RawMessage // properties of a program that ends again and again …
	ExitCode int             // … with this exit code

	// Ending are properties of a program that ends well, nil if Program does so in a job.
	Ending json.RawMessage

	// Interfere changes what runs of a component, as somebody else; nil if nobody else can.
	Interfere func(t testing.TB, app model.AppID, component string)

	// Endless is set for an adapter that carries nothing that ends by itself.
	Endless bool

	// Forgets is set for an adapter that runs programs in its own process: they end with it, and
	// the next one begins them again when it is told to.
	Forgets bool

	// Elsewhere is set for an adapter that starts nothing: no runtime of its own can be away, ends
	// programs, has capacity or is changed by others.
	Elsewhere bool
}

// Run holds an adapter to the contract.
func Run(t *testing.T, s Subject) {
	for _, c := range []struct {
		name  string
		test  func(*trial)
		ofAll bool // also of an adapter that starts nothing
	}{
		{"life", life, true},
		{"parts", parts, true},
		{"held", hold, true},
		{"drift", drift, false},
		{"failure", failure, false},
		{"job", job, false},
		{"capacity", capacity, false},
		{"restart", restart, true},
		{"absent", absent, false},
	} {
		if s.Elsewhere && !c.ofAll || s.Endless && c.name == "job" || s.Interfere == nil && c.name == "drift" || s.Behind == nil && c.name == "absent" {
			continue
		}
		t.Run(c.name, func(t *testing.T) { c.test(newTrial(t, s, c.name)) })
	}
}

// trial is one application on the way through the adapter.
type trial struct {
	Subject
	*testing.T
	adapter runtime.Adapter
	app     model.AppID
}

func newTrial(t *testing.T, s Subject, name string) *trial {
	r := &trial{s, t, s.Open(t), model.AppID{Tenant: s.Tenant.Name, Name: name}}
	r.act(runtime.Assignment{App: model.AppID{Tenant: s.Tenant.Name}, Tenant: &s.Tenant, Platform: s.Platform, Shared: model.Occupancy{Apps: []model.AppID{r.app}}})
	return r
}

// program is a component of a name with so many replicas.
func (r *trial) program(name string, replicas int) model.Component {
	c := r.Program
	c.Name, c.Replicas, c.Critical = name, replicas, true
	require.NoError(r, r.adapter.Carries(&c, &r.Platform.Pools[0]))
	return c
}

// record is an application whose components all run.
func (r *trial) record(components ...model.Component) *model.Instance {
	spec := model.Application{ID: r.app, Desired: model.DesiredRunning, Policy: &model.Policy{Namespace: "tenant", Registries: r.Registries}, Components: components}.Seal()
	inst := &model.Instance{App: r.app, Number: 1, Phase: model.PhaseScheduled, Spec: &spec}
	for i := range components {
		c := &components[i]
		g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: r.Platform.Pools[0].Name}
		inst.Components = append(inst.Components, model.ComponentState{Grant: g, Run: c.Replicas, Spec: c.Content(r.app), Workload: model.WorkloadDigest(c, g, c.Replicas)})
	}
	return inst
}

func (r *trial) assign(inst *model.Instance, jobs ...runtime.Job) runtime.Assignment {
	return runtime.Assignment{App: r.app, Ledger: "suite", Instance: inst, Components: runtime.ComponentsOf(inst), Jobs: jobs, Tenant: &r.Tenant, Platform: r.Platform}
}

// gone is the application after its end.
func (r *trial) gone() runtime.Assignment {
	return r.assign(&model.Instance{App: r.app, Number: 1, Phase: model.PhaseTerminated, Reason: model.ReasonRemoved, Spec: r.record().Spec})
}

// act has an assignment carried out whole.
func (r *trial) act(a runtime.Assignment) runtime.Report {
	r.Helper()
	report := r.adapter.Act(r.Context(), []runtime.Assignment{a})
	require.NoError(r, report.Err)
	require.Len(r, report.Outcomes, 1)
	require.Equal(r, a.App, report.Outcomes[0].App)
	require.True(r, report.Outcomes[0].OK(), "%+v", report.Outcomes[0])
	return report
}

// settled demands that an assignment changes nothing.
func (r *trial) settled(a runtime.Assignment) {
	r.Helper()
	for _, result := range r.act(a).Outcomes[0].Results {
		require.Equal(r, runtime.Kept, result.Action, "%+v", result)
	}
}

// ended waits until nothing of the application is left to destroy.
func (r *trial) ended() {
	r.Helper()
	limit := time.After(patience)
	for {
		results := r.act(r.gone()).Outcomes[0].Results
		if !slices.ContainsFunc(results, func(result runtime.Result) bool { return result.Action != runtime.Kept }) {
			return
		}
		select {
		case <-r.adapter.Changed():
		case <-limit:
			require.FailNow(r, "it never ended", "%+v", results)
		}
	}
}

// seen returns what shows of the application.
func (r *trial) seen() (list []model.Workload) {
	r.Helper()
	seen, err := r.adapter.Inspect(r.Context(), r.Platform)
	require.NoError(r, err)
	for _, w := range seen.Workloads {
		if w.App == r.app {
			list = append(list, w)
		}
	}
	return list
}

// until waits until what shows of the application is as wanted.
func (r *trial) until(what string, want func([]model.Workload) bool) []model.Workload {
	r.Helper()
	limit := time.After(patience)
	for {
		list := r.seen()
		if want(list) {
			return list
		}
		select {
		case <-r.adapter.Changed():
		case <-limit:
			require.FailNow(r, "it never came: "+what, "%+v", list)
		}
	}
}

// runs waits until exactly the components of a record run as it says.
func (r *trial) runs(inst *model.Instance) {
	r.Helper()
	r.until("all runs", func(list []model.Workload) bool {
		return len(list) == len(inst.Components) && !slices.ContainsFunc(inst.Components, func(s model.ComponentState) bool {
			return !slices.ContainsFunc(list, func(w model.Workload) bool {
				return w.Component == s.Grant.Component && w.Digest == s.Workload && w.Current && w.Replicas == s.Run && w.Ready == s.Run
			})
		})
	})
}

// within demands that a call ends soon.
func (r *trial) within(call func(ctx context.Context)) {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		call(ctx)
	}()
	cancel()
	select {
	case <-done:
	case <-time.After(patience):
		require.FailNow(r, "a call does not end although its context did")
	}
}
