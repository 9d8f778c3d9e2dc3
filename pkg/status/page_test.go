package status_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

var update = flag.Bool("update", false, "write the golden files")

// busyFleet has an application of every kind that a page speaks about.
func busyFleet() model.Ledger {
	l := example(model.PhaseRunning)
	l = move(l, model.PhaseDegraded, noon.Add(90*time.Minute))
	s := &l.Instances[0]
	s.Message = "web has 1 of 3 replicas ready"
	s.Components[1].State, s.Components[1].Message = model.StateFailed, "container exits with code 1"
	s.Refused = &model.Refusal{Reason: "QuotaExceeded", Message: "the new spec asks for 12 cpu, tenant acme may use 10"}
	s.History[1].Message = s.Message
	l.Decisions[0].Policies = []model.PolicyValue{
		{Path: "limits.maxReplicas", Value: "5", Layer: "tenant", At: "tenants/acme/tenant.cue:9:12"},
		{Path: "preemption", Value: "within-tenant", Layer: "platform", At: "fleet.cue:14:3"},
	}
	l.Decisions[0].Displaced = []model.Displacement{{
		App: model.AppID{Tenant: "beta", Name: "etl"}, From: "4 replicas of worker", To: "1 replica of worker", Why: "acme is below its guarantee",
	}}
	l.Decisions[0].Standing = model.StandingWithinGuarantee
	l.Decisions[0].Shares = []model.TenantShare{{Of: "tenant acme", Used: 208, Guaranteed: 250, FairShare: 400, Weight: 2}}
	waiting := model.AppID{Tenant: "beta", Name: "train"}
	l.Instances = append(l.Instances,
		model.Instance{
			App: model.AppID{Tenant: "beta", Name: "etl"}, Number: 2, Phase: model.PhaseRejected, Reason: "PriorityCeiling",
			Message: "asks for priority 900, tenant beta allows at most 200", Since: noon,
		},
		model.Instance{App: waiting, Number: 1, Phase: model.PhaseAdmitted, Reason: "Waiting", Message: "short of 2 nvidia.com/gpu in pool gpu", Since: noon},
	)
	l.Decisions = append(l.Decisions, model.Decision{
		App: waiting, Verdict: model.VerdictWaiting, Reason: "CapacityShort", Message: "short of 2 nvidia.com/gpu in pool gpu", Position: 1,
		Inputs: model.Inputs{Commit: l.Commit},
		Constraints: []model.Constraint{
			{Name: "quota.nvidia.com/gpu", Asked: "4", Used: "0", Limit: "4", OK: true, At: "tenants/beta/tenant.cue:6:20"},
			{Name: "pool.gpu.nvidia.com/gpu", Asked: "4", Used: "6", Limit: "8", Short: "2", At: "fleet.cue:22:9"},
		},
		BlockedBy:  []model.AppID{shop()},
		WouldAdmit: []string{"2 nvidia.com/gpu more in pool gpu", "train asks for 2 nvidia.com/gpu"},
	})
	l.Instances = append(l.Instances, releasing(model.AppID{Tenant: "beta", Name: "web"}))
	l.Tenants = append(l.Tenants, model.Tenant{Name: "beta", Weight: 1, PriorityCeiling: 200, MaxApplications: 5,
		Guarantee: model.Resources{CPU: 2000},
		Quota:     &model.Resources{CPU: 8000, Memory: 16 << 30, Devices: map[string]int64{"nvidia.com/gpu": 4}}})
	l.Pools = append(l.Pools, model.Pool{Name: "gpu", Nodes: 1,
		Capacity: model.Resources{CPU: 16_000, Memory: 64 << 30, Devices: map[string]int64{"nvidia.com/gpu": 8}}})
	l.Problems = []model.Problem{{
		Code: "DA1203", Path: "application.components.web.replicas", Message: "asks for 9, tenant beta allows at most 5",
		Places: []model.Place{{At: "tenants/beta/apps/web/app.cue:9:13", Note: "asks for 9"}}, Tenant: "beta", App: "web",
	}}
	return l
}

// releasing is an application in the middle of a run of its workflow.
func releasing(app model.AppID) model.Instance {
	spec := model.Application{ID: app, Priority: 100, Desired: "running", Commit: "1111111111111111111111111111111111111111",
		Components: []model.Component{
			{Name: "migrate", Type: "job", Runtime: "container", OS: "linux", Replicas: 1},
			{Name: "web", Type: "webservice", Runtime: "container", OS: "linux", Replicas: 4, Critical: true},
		},
		Workflow: &model.Workflow{Steps: []model.Step{
			{Name: "migrate", Type: "job", Component: "migrate", OnFailure: "stop"},
			{Name: "agree", Type: "approval", DependsOn: []string{"migrate"}, OnFailure: "stop", Properties: json.RawMessage(`{"count":2,"roles":["tenant-admin"]}`)},
			{Name: "release", Type: "canary", DependsOn: []string{"migrate"}, Components: []string{"web"}, OnFailure: "rollback",
				Properties: json.RawMessage(`{"stages":[{"manual":true,"weight":25}]}`)},
			{Name: "tell", Type: "notify", DependsOn: []string{"agree", "release"}, OnFailure: "continue", Properties: json.RawMessage(`{"url":"https://hooks.example.com"}`)},
		}}}.Seal()
	old, newer := model.DigestOf("old"), model.DigestOf("newer")
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	return model.Instance{
		App: app, Number: 1, Phase: model.PhaseScheduled, Reason: model.ReasonUpdateAdmitted, Since: noon, Spec: &spec,
		Components: []model.ComponentState{
			{Grant: model.Grant{Component: "migrate", Replicas: 1, QoS: "burstable", Pool: "general"}, State: model.StateWaiting, Since: noon},
			{Grant: model.Grant{Component: "web", Replicas: 4, Surge: 1, QoS: "burstable", Pool: "general"}, Run: 3, State: model.StateReady, Since: noon,
				Beside: &model.Beside{Spec: newer, Run: 1, Workload: newer, Traffic: model.TrafficBoth}},
		},
		Shown: &model.Shown{At: noon, Components: []model.ShownComponent{
			{Component: "web", Told: 3, Ready: 2, Held: 3, Unready: noon, Why: "readiness probe fails", Images: []string{"ghcr.io/acme/shop:1@sha256:" + strings.Repeat("1a", 32)}},
			{Component: "web", Beside: true, Told: 1, Images: []string{"ghcr.io/acme/shop:2@sha256:" + strings.Repeat("2b", 32)}},
		}},
		Run: &model.Run{
			ID: model.DigestOf("run"), App: app, Instance: 1, Number: 2, Spec: spec.Release, Phase: model.RunRunning, Since: noon, Deadline: at(360),
			Steps: []model.StepRun{
				{Name: "migrate", Phase: model.StepSucceeded, Reason: "Done", Since: at(3), Attempt: 2, First: 1, Order: 1, Started: at(2), Deadline: at(12),
					Inputs: []model.Value{{Name: "to", Value: "7"}}, Outputs: []model.Value{{Name: "version", Value: "7"}},
					Undo: &model.Undo{Component: "unmigrate", Phase: model.StepPending}},
				{Name: "agree", Phase: model.StepActive, Since: at(3), Attempt: 1, First: 1, Order: 2, Started: at(3), Deadline: at(300), Actors: []string{"ann"}},
				{Name: "release", Phase: model.StepActive, Since: at(3), Attempt: 1, First: 1, Order: 3, Started: at(3), Deadline: at(120), Until: at(4)},
				{Name: "tell", Phase: model.StepPending},
			},
			Targets: []model.Target{{Component: "web", Stable: model.Version{Spec: old, Content: old}, Next: &model.Version{Spec: spec.Release, Content: newer},
				Share: model.Share{Weight: 25}}},
			Base: []model.Target{{Component: "web", Stable: model.Version{Spec: old, Content: old}}},
			Commands: []model.Handled{
				{ID: model.DigestOf("a"), Action: model.CommandApprove, Step: "agree", By: "ann", Commit: "2222222222222222222222222222222222222222"},
				{ID: model.DigestOf("b"), Action: model.CommandApprove, Step: "agree", By: "bob", Commit: "3333333333333333333333333333333333333333",
					Refused: "step agree needs the role tenant-admin, and bob has owner"},
			},
			Good: []model.Digest{old},
		},
		History: []model.Transition{{At: noon, Instance: 1, From: model.PhaseRunning, To: model.PhaseScheduled, Reason: model.ReasonUpdateAdmitted}},
	}
}

// files returns everything on the branch as one archive.
func files(repo *gittest.Repo, rev string, want func(name string) bool) []byte {
	var a txtar.Archive
	for name := range strings.Lines(repo.Git("ls-tree", "-r", "--name-only", rev)) {
		if name = strings.TrimSpace(name); want(name) {
			a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(repo.Git("show", rev+":"+name) + "\n")})
		}
	}
	return txtar.Format(&a)
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o644))
	}
	want, err := os.ReadFile(name)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	require.Equal(t, string(want), string(got))
}

func TestPages(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), empty, busyFleet())
	require.NoError(t, err)
	golden(t, "testdata/pages.txtar", files(remote, "status", func(name string) bool { return strings.HasSuffix(name, ".md") }))
	golden(t, "testdata/records.txtar", files(remote, "status", func(name string) bool { return !strings.HasSuffix(name, ".md") }))
}

// TestPageSaysWhatComesBack: what an application goes back to, and when, differs
// between an update on its way and one that has arrived.
func TestPageSaysWhatComesBack(t *testing.T) {
	old := model.Application{ID: shop(), Priority: 100}.Seal()
	in := example(model.PhaseRunning).Instances[0]
	require.NotContains(t, string(page.Application(in.App, &in, nil, nil, "", model.Links{})), "update")

	in.Previous, in.Phase = &old, model.PhaseScheduled
	require.Contains(t, string(page.Application(in.App, &in, nil, nil, "", model.Links{})), "An update is on its way. If it does not become ready in time, release `"+old.Release.Short()+"` comes back.")

	in.Phase, in.Trial = model.PhaseRunning, noon
	require.Contains(t, string(page.Application(in.App, &in, nil, nil, "", model.Links{})),
		"The update has arrived. Until 2026-03-01 12:00:00 UTC release `"+old.Release.Short()+"` is kept, and comes back if this one fails too often.")
}

// TestFleetPageIsBounded: the first page of a large fleet in trouble can still
// be read, whatever users write.
func TestFleetPageIsBounded(t *testing.T) {
	l := large(10_000)
	for i := range l.Instances {
		in, d := &l.Instances[i], &l.Decisions[i]
		in.Phase, in.Reason, in.Message = model.PhaseDegraded, model.ReasonCapacityShort, strings.Repeat("<", 1000)
		d.Verdict, d.Position, d.Message, d.WouldAdmit = model.VerdictWaiting, i, in.Message, []string{in.Message}
	}
	for i := range 2000 {
		l.Tenants = append(l.Tenants, model.Tenant{Name: fmt.Sprintf("zz%04d", i), Quota: &model.Resources{CPU: 1000}})
		l.Problems = append(l.Problems, model.Problem{Code: "DA1203", Message: strings.Repeat("|", 1000), Places: []model.Place{{At: "tenants/acme/apps/shop/app.cue:1:1"}}})
	}
	l.Commit = strings.Repeat("a", 40)
	got := page.Fleet(&l, model.UsageByTenant(&l), page.Branch{Links: model.Links{File: "https://git.example.com/" + strings.Repeat("x", 400) + "/{path}"}})
	require.Less(t, len(got), 512<<10)
	require.Less(t, strings.Count(string(got), "\n"), 500)
	require.Contains(t, string(got), "… and 9900 more.")
}

// TestSecretsStayAway: what is marked as secret is on no page and in no record,
// whichever way it takes.
func TestSecretsStayAway(t *testing.T) {
	const canary = "CANARY-2"
	l := busyFleet()
	in := &l.Instances[0]
	spec := *in.Spec
	spec.Components = append(slices.Clone(spec.Components), model.Component{Name: "more", Type: "secret",
		Properties: json.RawMessage(`{"data":{"password":"` + canary + `","file":{"nested":["` + canary + `"]}},"immutable":"` + canary + `"}`)})
	spec = spec.Seal()
	in.Spec, in.Previous = &spec, &spec
	files, _, err := status.Written(l)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for name, file := range files {
		require.NotContains(t, string(file.Data), "CANARY", name)
	}
	require.Contains(t, string(files["tenants/acme/shop/previous.json"].Data), `"redacted": true`)
}
