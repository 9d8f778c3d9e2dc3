package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/workflow"
)

const shopImage = "example.com/shop:2@sha256:"

// carriesRuns lets the runtime of a world run the jobs of steps, both versions of a
// canary, and say which image runs.
func (w *world) carriesRuns() {
	w.paper.Also = func(ledger *model.Ledger, seen *model.Observation) {
		for i := range seen.Workloads {
			if s := &seen.Workloads[i]; s.Component == "web" && s.Ready > 0 {
				s.Images = []string{shopImage + strings.Repeat("2b", 32)}
			}
		}
		for i := range ledger.Instances {
			in := &ledger.Instances[i]
			for _, s := range in.Components {
				if b := s.Beside; b != nil {
					seen.Workloads = append(seen.Workloads, model.Workload{
						App: in.App, Component: s.Grant.Component, Digest: b.Workload, Replicas: b.Run, Ready: b.Run, Current: true, Beside: true,
					})
				}
			}
			if in.Run == nil || in.Run.Phase.Ended() {
				continue
			}
			for _, intent := range workflow.Intents(in.Run, in.RunSpec(), nil) {
				if intent.Job != nil {
					seen.Workloads = append(seen.Workloads, model.Workload{App: in.App, Component: intent.Job.Component, Intent: intent.Key, Done: true})
				}
			}
		}
		slices.SortStableFunc(seen.Workloads, func(x, y model.Workload) int { return x.App.Compare(y.App) })
	}
}

// TestThirtySeconds asks what people on call ask, and finds each answer in one command
// and on one page of the status branch.
func TestThirtySeconds(t *testing.T) {
	w := newWorld(t)
	w.carriesRuns()
	root, public := w.repo.Key("root")
	w.repo.Write("access.cue", fmt.Sprintf("package fleet\n\nplatform: access: {principals: root: ssh: [%q], admins: [\"root\"]}\n", public))
	shop := func(tag string) {
		w.repo.Write("tenants/acme/apps/shop/app.cue", fmt.Sprintf(`package fleet

application: {
	name: "shop"
	components: {
		migrate: {type: "job", properties: image: "example.com/shop:%[1]s"}
		unmigrate: {type: "job", properties: image: "example.com/shop:%[1]s"}
		web: {type: "webservice", replicas: 4, properties: {image: "example.com/shop:%[1]s", ports: [{port: 8080}]}}
	}
	workflow: steps: [
		{name: "migrate", type: "job", component: "migrate", undo: "unmigrate"},
		{name: "agree", type: "approval", dependsOn: ["migrate"], properties: roles: ["tenant-admin"]},
		{name: "release", type: "canary", components: ["web"], dependsOn: ["agree"], properties: stages: [{weight: 25, manual: true}, {weight: 50, manual: true}]},
		{name: "confirm", type: "approval", dependsOn: ["release"], onFailure: "rollback", properties: roles: ["tenant-admin"]},
	]
}
`, tag))
	}
	run := func() *model.Run {
		l, err := w.paper.Branch.Load(t.Context())
		require.NoError(t, err)
		in, ok := l.Find(id("acme", "shop"))
		require.True(t, ok)
		return in.Run
	}
	asked := 0
	ask := func(action, step string) {
		asked++
		name := fmt.Sprintf("%s-%d", action, asked)
		w.repo.Write("approvals/acme/shop/"+name+".cue", fmt.Sprintf("package fleet\n\napproval: %q: {run: %q, action: %q, step: %q}\n", name, run().ID[:12], action, step))
		w.repo.CommitSigned(root, action)
		w.passes()
	}
	command := func(code int, args ...string) string {
		t.Helper()
		return w.text(code, append(args, "--repo", w.repo.Dir)...)
	}
	page := func(app string) string { return w.repo.Git("show", "status:tenants/acme/"+app+"/README.md") }

	shop("2")
	first := w.repo.CommitSigned(root, "the shop")
	w.passes()
	ask("approve", "agree")
	ask("approve", "confirm")
	require.Equal(t, model.RunSucceeded, run().Phase)

	t.Log("which image of which commit runs?")
	out := command(0, "explain", "acme/shop")
	require.Regexp(t, `spec +[0-9a-f]{8}, from commit `+first[:10], out)
	require.Regexp(t, `Images that run\n.*\n +web +`+shopImage+strings.Repeat("2b", 32), out)
	require.Contains(t, page("shop"), shopImage+strings.Repeat("2b", 32))
	require.Contains(t, page("shop"), "source commit `"+first+"`")

	t.Log("what will this pull request run again?")
	w.repo.Git("checkout", "-q", "-b", "change")
	shop("3")
	w.repo.CommitSigned(root, "a new image")
	out = w.text(1, "plan", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339), "--head", "change")
	for _, what := range []string{"acme/shop", "run 2", "migrate", "agree", "release"} {
		require.Contains(t, out, what)
	}
	require.NotContains(t, out, "unmigrate:")
	w.repo.Git("checkout", "-q", "main")
	w.repo.Git("merge", "-q", "--ff-only", "change")

	t.Log("what changed at 14:03, and by whom?")
	w.now = time.Date(2026, 3, 1, 14, 3, 0, 0, time.UTC)
	w.passes()
	ask("approve", "agree")
	ask("resume", "release")
	ask("resume", "release")
	ask("reject", "confirm")
	require.Equal(t, model.RunRolledBack, run().Phase, "%+v", run())
	corrected := false
	w.paper.Outcome = func(app model.AppID) runtime.Outcome {
		o := runtime.Outcome{App: app}
		if app == id("acme", "shop") && !corrected {
			corrected = true
			o.Results = []runtime.Result{{
				Object: "Deployment acme/shop-web", Component: "web", Action: runtime.Corrected,
				Drift: []runtime.Difference{{Path: "spec.replicas", Manager: "kubectl"}},
			}}
		}
		if app == id("acme", "blog") {
			o.Results = []runtime.Result{{
				Object: "Service acme/blog", Component: "web", Action: runtime.Failed,
				Reason: model.OutcomeInvalid, Field: "spec.ports[0].port",
				Message: "Service acme/blog: the API server finds it invalid: spec.ports[0].port: must be between 1 and 65535, inclusive; correct it in Git",
			}}
		}
		return o
	}
	w.app("acme", "blog", 1, 100)
	w.repo.CommitSigned(root, "a blog")
	w.passes()
	out = command(0, "events", "acme/shop", "--since", "2026-03-01T14:00:00Z")
	for _, line := range []string{
		`14:03:00Z .* acme/shop#1 +Running → Scheduled .*UpdateAdmitted`, `14:03:00Z .* run 2: running`,
		`approve step agree of run 2 .* by root`, `step migrate: active → succeeded`, `step release: stage 1 passed`, `step release: stage 2 passed`,
		`reject step confirm of run 2 .* by root`, `undo of step release: active → succeeded`, `undo of step migrate: active → succeeded`,
		`RolledBack: .*step confirm failed, attempt 1: rejected: by root`, `hold: held`, `Deployment acme/shop-web.*spec.replicas.*kubectl`,
	} {
		require.Regexp(t, line, out)
	}
	out = command(0, "explain", "acme/shop")
	require.Regexp(t, `approve agree by root`, out)
	require.Regexp(t, `reject confirm by root`, out)
	require.Regexp(t, `Deployment acme/shop-web: spec.replicas, by kubectl`, out)
	require.Regexp(t, `reject.*confirm`, page("shop"))
	require.Contains(t, page("shop"), "kubectl")

	t.Log("why does it not run?")
	const why = "Service acme/blog: the API server finds it invalid: spec.ports[0].port: must be between 1 and 65535, inclusive; correct it in Git"
	out = command(0, "status", "acme/blog")
	require.Contains(t, out, "Degraded")
	require.Contains(t, out, why)
	require.Contains(t, command(0, "explain", "acme/blog"), why)
	require.Contains(t, command(0, "events", "acme/blog"), why)
	require.Contains(t, strings.ReplaceAll(page("blog"), `\`, ""), why)
}
