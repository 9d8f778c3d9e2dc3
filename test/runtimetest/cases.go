package runtimetest

import (
	"context"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// life: each step is the same call with another assignment, and a second one changes nothing.
func life(r *trial) {
	for _, replicas := range []int{1, 3, 2, 0} {
		inst := r.record(r.program("web", replicas))
		r.act(r.assign(inst))
		r.runs(inst)
		r.settled(r.assign(inst))
	}
	r.ended()
	r.until("nothing is left", func(list []model.Workload) bool { return len(list) == 0 })
	r.settled(r.gone())
}

// parts: what the assignment lacks goes, and the others keep running. They may be told which
// release they are of.
func parts(r *trial) {
	both := r.record(r.program("db", 1), r.program("web", 1))
	r.act(r.assign(both))
	r.runs(both)
	one := r.record(r.program("db", 1))
	for _, result := range r.act(r.assign(one)).Outcomes[0].Results {
		allowed := []runtime.Action{runtime.Kept, runtime.Pruned}
		if result.Component == "db" {
			allowed[1] = runtime.Configured
		}
		require.Contains(r, allowed, result.Action, "%+v", result)
	}
	r.runs(one)
}

// hold: what runs goes on while the newer version waits, and gives way to it afterwards.
func hold(r *trial) {
	before := r.record(r.program("web", 1))
	r.act(r.assign(before))
	r.runs(before)
	newer := r.program("web", 1)
	newer.Requests.CPU += 10
	after := r.record(newer)
	for _, known := range []*model.Application{before.Spec, nil} { // its version may be unknown by now
		held := *after
		held.Previous, held.PreviousGrants = known, []model.Grant{before.Components[0].Grant}
		held.Components = slices.Clone(before.Components)
		held.Components[0].Hold = true
		r.settled(r.assign(&held))
		r.runs(before)
	}
	r.act(r.assign(after))
	r.runs(after)
}

// drift: what somebody else changed is told, and put back.
func drift(r *trial) {
	inst := r.record(r.program("web", 1))
	r.act(r.assign(inst))
	r.runs(inst)
	r.adapter.Drifted()
	r.Interfere(r, r.app, "web")
	r.until("the drift is told", func([]model.Workload) bool { return slices.Contains(r.adapter.Drifted(), r.app) })
	require.Equal(r, 1, r.act(r.assign(inst)).Count(runtime.Corrected))
	r.runs(inst)
}

// failure: a program that ends is told with class and exit code, and heals with a newer version.
func failure(r *trial) {
	bad := r.program("web", 1)
	bad.Properties = r.Crashing
	inst := r.record(bad)
	r.act(r.assign(inst))
	list := r.until("the failure is told", func(list []model.Workload) bool { return len(list) == 1 && list[0].Failure != nil })
	f := list[0].Failure
	require.Equal(r, model.ClassRuntime, f.Class, "%+v", f)
	require.Equal(r, r.ExitCode, f.ExitCode, "%+v", f)
	require.Positive(r, f.Restarts)
	require.Zero(r, list[0].Ready)
	healed := r.record(r.program("web", 1))
	r.act(r.assign(healed))
	r.runs(healed)
}

// job: the job of a step runs once, however often it is assigned, and stays when it has ended.
func job(r *trial) {
	c := r.program("migrate", 1)
	c.Type = "job"
	if r.Ending != nil {
		c.Properties = r.Ending
	}
	inst := r.record(c)
	inst.Spec.Workflow = &model.Workflow{Steps: []model.Step{{Name: "migrate", Type: "job", Component: "migrate"}}}
	spec := inst.Spec.Seal()
	inst.Spec, inst.Components = &spec, nil
	j := runtime.Job{Key: "run/migrate/1", Component: "migrate", Spec: spec.Release}
	done := func(list []model.Workload) bool {
		return slices.ContainsFunc(list, func(w model.Workload) bool { return w.Intent == j.Key && w.Done })
	}
	r.act(r.assign(inst, j))
	r.until("the job is done", done)
	r.settled(r.assign(inst, j))
	j.Keep = true
	r.settled(r.assign(inst, j))
	require.True(r, done(r.seen()))
}

// capacity: the pool offers what arbitration may give.
func capacity(r *trial) {
	seen, err := r.adapter.Inspect(r.Context(), r.Platform)
	require.NoError(r, err)
	require.Len(r, seen.Pools, 1)
	p := seen.Pools[0]
	require.Equal(r, r.Platform.Pools[0].Name, p.Name)
	require.Positive(r, p.Nodes)
	require.Positive(r, p.Capacity.CPU)
	require.Positive(r, p.Capacity.Memory)
	require.True(r, p.Largest.CPU > 0 && p.Largest.CPU <= p.Capacity.CPU)
}

// restart: a process may end in the middle of a call. The next one finds what there is, makes
// it whole, and changes nothing of what is.
func restart(r *trial) {
	for replicas := range 4 {
		inst := r.record(r.program("db", 1), r.program("web", replicas))
		r.within(func(ctx context.Context) { r.adapter.Act(ctx, []runtime.Assignment{r.assign(inst)}) })
		r.adapter = r.Open(r)
		r.act(r.assign(inst))
		r.runs(inst)
		r.adapter = r.Open(r)
		if r.Elsewhere || r.Forgets { // it begins again when it is told to
			r.act(r.assign(inst))
			r.runs(inst)
		} else {
			r.until("the next process sees it", func(list []model.Workload) bool { return len(list) == 2 })
		}
		r.settled(r.assign(inst))
	}
	r.within(func(ctx context.Context) { r.adapter.Act(ctx, []runtime.Assignment{r.gone()}) })
	r.adapter = r.Open(r)
	r.act(r.gone())
	r.until("nothing is left", func(list []model.Workload) bool { return len(list) == 0 })
}

// absent: what a runtime that does not answer was to do has failed, and is done when it is
// tried again. A call ends with its context.
func absent(r *trial) {
	adapter, cut := r.Behind(r)
	r.adapter = adapter
	inst := r.record(r.program("web", 1))
	r.act(r.assign(inst))
	r.runs(inst)
	cut(true)
	more := r.record(r.program("web", 2))
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	report := adapter.Act(ctx, []runtime.Assignment{r.assign(more)})
	require.True(r, report.Err != nil || !report.Outcomes[0].OK(), "%+v", report)
	r.within(func(ctx context.Context) { adapter.Act(ctx, []runtime.Assignment{r.assign(more)}) })
	cut(false)
	for limit := time.After(patience); ; { // the connection may take a moment
		report = adapter.Act(r.Context(), []runtime.Assignment{r.assign(more)})
		if report.Err == nil && report.Outcomes[0].OK() {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-limit:
			require.FailNow(r, "it is not carried out although the runtime answers", "%+v", report)
		}
	}
	r.runs(more)
}
