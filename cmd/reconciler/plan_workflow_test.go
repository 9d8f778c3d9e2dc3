package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// flow writes an application whose workflow runs a job, waits for an approval and
// brings the new version as a canary.
func (w *world) flow(image string) {
	w.repo.Write("tenants/acme/apps/shop/app.cue", fmt.Sprintf(`package fleet

application: {
	name: "shop"
	components: {
		migrate: {type: "job", properties: image: %[1]q}
		web: {type: "webservice", replicas: 4, properties: {image: %[1]q, ports: [{port: 8080}]}}
	}
	workflow: steps: [
		{name: "migrate", type: "job", component: "migrate"},
		{name: "agree", type: "approval", dependsOn: ["migrate"], properties: roles: ["tenant-admin"]},
		{name: "release", type: "canary", components: ["web"], dependsOn: ["agree"], properties: stages: [{weight: 25, manual: true}]},
	]
}
`, image))
}

// TestPlanShowsRuns: a change of one image begins a run with a job, an approval and
// a canary, and plan says so.
func TestPlanShowsRuns(t *testing.T) {
	w := newWorld(t)
	w.flow("example.com/web:1")
	w.repo.Commit("first")
	w.passes()
	w.repo.Git("checkout", "-q", "-b", "change")
	w.flow("example.com/web:2")
	w.repo.Commit("a new image")

	view := w.plan(1, "--head", "change")
	require.Len(t, view.Runs, 1)
	run := view.Runs[0]
	require.Equal(t, plan.RunBegins, run.Effect)
	require.Equal(t, "acme/shop", run.App.String())
	require.Equal(t, 2, run.Number)
	require.Equal(t, 1, run.Supersedes, "the first run waits for its approval")
	require.Equal(t, []plan.RunStep{
		{Name: "migrate", Type: "job", Phase: model.StepActive, Waits: "the job migrate to end"},
		{Name: "agree", Type: "approval", Phase: model.StepPending, People: true},
		{Name: "release", Type: "canary", Phase: model.StepPending, People: true},
	}, run.Steps)

	text := w.text(1, "plan", "--repo", w.repo.Dir, "--now", w.now.Format("2006-01-02T15:04:05Z07:00"), "--head", "change")
	want, err := os.ReadFile("testdata/plan_runs.txt")
	require.NoError(t, err)
	require.Contains(t, text, string(want))
}
