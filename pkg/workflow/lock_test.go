package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestLockPassesOnWhenTheJobHasEnded: a step that is stopped gives up its lock, and
// its job takes a while to end. Nobody has the lock before that is over.
func TestLockPassesOnWhenTheJobHasEnded(t *testing.T) {
	job := declared{Jobs: []string{"migrate"}, Steps: []declaredStep{{Name: "migrate", Type: "job", Component: "migrate", Lock: "schema"}}}
	seen := model.Observation{}
	ledger := model.Ledger{}
	for _, name := range []string{"blog", "shop"} {
		spec := job.application(name, "v1")
		ledger.Instances = append(ledger.Instances, model.Instance{App: spec.ID, Number: 1, Phase: model.PhaseScheduled, Spec: spec})
	}
	asked := map[model.AppID][]model.Command{}
	pass := func() {
		next := ledger
		next.Instances = append([]model.Instance(nil), ledger.Instances...)
		runs, _ := workflow.Carry(&ledger, &next, workflow.Reports{Commands: asked, Seen: &seen}, workflow.Limits{}, start)
		for i := range runs {
			inst, _ := next.Find(runs[i].App)
			inst.Run = &runs[i]
		}
		ledger = next
	}
	step := func(i int) *model.StepRun { return &ledger.Instances[i].Run.Steps[0] }

	pass()
	require.Equal(t, model.StepActive, step(0).Phase)
	require.Equal(t, "lock schema is held by acme/blog, step migrate", step(1).Message)

	blog := ledger.Instances[0]
	key := string(blog.Run.ID) + "/migrate/1"
	seen.Workloads = []model.Workload{{App: blog.App, Component: "migrate", Intent: key, Lock: "schema"}}
	pass()
	require.Equal(t, model.StepQueued, step(1).Phase)

	asked[blog.App] = []model.Command{{Action: model.CommandStop, Run: blog.Run.ID, By: "ann"}}
	for range 2 { // in the pass that stops it, and as long as the job is there
		pass()
		require.Equal(t, model.RunStopped, ledger.Instances[0].Run.Phase)
		require.Equal(t, model.StepQueued, step(1).Phase)
		require.Equal(t, "lock schema is free when job "+key+" has ended, which still runs", step(1).Message)
	}

	seen.Workloads[0].Done = true // or gone: it runs no more
	pass()
	require.Equal(t, model.StepActive, step(1).Phase)
}

// TestLeftoverJobBlocksItsLock: a job that its step has left blocks the lock that the
// step named and no other. One that does not say which lock it was blocks all.
func TestLeftoverJobBlocksItsLock(t *testing.T) {
	for _, c := range []struct {
		lock    string // of the job that is left
		blocked bool
	}{{"schema", true}, {"cache", false}, {"", false}, {model.AnyLock, true}} {
		spec := (&declared{Jobs: []string{"migrate"}, Steps: []declaredStep{{Name: "migrate", Type: "job", Component: "migrate", Lock: "schema"}}}).application("shop", "v1")
		run := workflow.Start("", spec, 1, nil, start)
		limits := workflow.Limits{Jobs: []workflow.RunningJob{{Key: "gone/clean/1", Lock: c.lock}}}
		runs, _ := workflow.Advance([]workflow.Turn{{Run: run, Spec: spec}}, limits, start)
		run = runs[0]
		if c.blocked {
			require.Equal(t, "lock schema is free when job gone/clean/1 has ended, which still runs", run.Steps[0].Message, c.lock)
		} else {
			require.Equal(t, model.StepActive, run.Steps[0].Phase, c.lock)
		}
	}
}
