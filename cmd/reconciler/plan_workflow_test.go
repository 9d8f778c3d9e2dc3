package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
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

	made := w.plan(1, "--head", "change")
	require.Len(t, made.Runs, 1)
	run := made.Runs[0]
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
	want, err := os.ReadFile("testdata/runs/plan.txt")
	require.NoError(t, err)
	require.Contains(t, text, string(want))
}

// TestPlanCountsApprovals: a change that brings an approval moves the run, in the plan as
// in the pass after the merge. One that lies on disk alone does not.
func TestPlanCountsApprovals(t *testing.T) {
	w := newWorld(t)
	root, public := w.repo.Key("root")
	w.repo.Write("access.cue", fmt.Sprintf("package fleet\n\nplatform: access: {principals: root: ssh: [%q], admins: [\"root\"]}\n", public))
	w.repo.Write("tenants/acme/apps/shop/app.cue", `package fleet

application: {
	name: "shop"
	components: web: {type: "worker", replicas: 2, properties: image: "example.com/web:1"}
	workflow: steps: [
		{name: "agree", type: "approval", properties: roles: ["tenant-admin"]},
		{name: "release", type: "deploy", dependsOn: ["agree"]},
	]
}
`)
	w.repo.Commit("first")
	w.passes()
	status := func() *model.Run {
		var v view.Explanation
		w.run(0, &v, "explain", "acme/shop", "--repo", w.repo.Dir, "-o", "json")
		return v.Run
	}
	run := status()
	require.Equal(t, model.StepActive, run.Steps[0].Phase)

	w.repo.Git("checkout", "-q", "-b", "change")
	w.repo.Write("approvals/acme/shop/go.cue", fmt.Sprintf("package fleet\n\napproval: go: {run: %q, step: \"agree\"}\n", run.ID[:12]))
	made := w.plan(0)
	require.Equal(t, []string{"approvals have no effect before they are committed"}, made.Notes)
	w.repo.CommitSigned(root, "approve")
	made = w.plan(1, "--head", "change")
	require.Len(t, made.Runs, 1)
	require.Equal(t, plan.RunProgresses, made.Runs[0].Effect)
	require.Equal(t, model.StepSucceeded, made.Runs[0].Steps[0].Phase)
	require.Equal(t, model.StepActive, made.Runs[0].Steps[1].Phase)

	w.repo.Git("checkout", "-q", "main")
	w.repo.Git("merge", "-q", "--ff-only", "change")
	w.pass()
	run = status()
	require.Equal(t, []string{"root"}, run.Steps[0].Actors)
	require.Equal(t, model.StepActive, run.Steps[1].Phase, "as planned")
}
