package main

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

const (
	firstCommit  = "1111111111111111111111111111111111111111"
	secondCommit = "2222222222222222222222222222222222222222"
)

func id(tenant, name string) model.AppID { return model.AppID{Tenant: tenant, Name: name} }

// fixture is the story that the tests of the reading commands are told: ledgers of a
// small fleet, hours apart. In the second, shop holds an older spec because Git
// holds one that is refused. In the third and fourth it is being released by a
// workflow.
func fixture(now time.Time) []model.Ledger {
	start := now.Add(-3 * time.Hour)
	first := model.Ledger{
		Commit:   firstCommit,
		Platform: &model.Platform{Name: "example"},
		Tenants:  []model.Tenant{{Name: "acme", Quota: &model.Resources{CPU: 10_000, Memory: 64 << 30}}, {Name: "initech"}},
		Pools:    []model.Pool{{Name: "general", Nodes: 2, Capacity: model.Resources{CPU: 16_000, Memory: 64 << 30}}},
	}
	first.Instances = []model.Instance{analytics(start), old(start), shop(start), rendering(start), simulation(start)}
	first.Decisions = decisions(first.Instances)

	second := first
	second.Commit = secondCommit
	second.Instances = append([]model.Instance{}, first.Instances...)
	s := &second.Instances[2]
	s.Refused = &model.Refusal{Reason: model.ReasonInvalidSpec, Message: "asks for 25, tenant acme allows at most 20"}
	s.History = append(s.History[:len(s.History):len(s.History)], model.Transition{
		At: now.Add(-30 * time.Minute), Instance: 1, From: model.PhaseRunning, To: model.PhaseRunning, Reason: model.ReasonUpdateRefused,
		Message: s.Refused.Message, Commit: secondCommit,
	})
	second.Problems = []model.Problem{{
		Code: "DA1203", Path: "application.components.web.replicas", Message: s.Refused.Message, Tenant: "acme", App: "shop",
		Places: []model.Place{
			{At: "tenants/acme/apps/shop/app.cue:9:13", Note: "asks for 25"},
			{At: "tenants/acme/tenant.cue:15:24", Note: "tenant.policy.limits.maxReplicas: 20"},
		},
	}}
	third, fourth := first, first
	third.Instances, fourth.Instances = slices.Clone(first.Instances), slices.Clone(first.Instances)
	third.Instances[2], fourth.Instances[2] = releases(first.Instances[2], now)
	return []model.Ledger{first, second, third, fourth}
}

// releases is an application in the middle of a run of its workflow, and later,
// when somebody has agreed and somebody else might not.
func releases(in model.Instance, now time.Time) (early, late model.Instance) {
	ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
	spec := *in.Spec
	spec.Workflow = &model.Workflow{Steps: []model.Step{
		{Name: "migrate", Type: "job", Component: "migrate"},
		{Name: "agree", Type: "approval", DependsOn: []string{"migrate"}, Properties: json.RawMessage(`{"count":2,"roles":["tenant-admin"]}`)},
		{Name: "release", Type: "deploy", DependsOn: []string{"agree"}},
	}}
	spec = spec.Seal()
	in.Spec, in.Phase, in.Reason, in.Message, in.Since = &spec, model.PhaseScheduled, model.ReasonUpdateAdmitted, "update to the spec of commit 11111111", ago(20)
	in.History = append(slices.Clip(in.History), model.Transition{
		At: ago(20), Instance: 1, From: model.PhaseRunning, To: model.PhaseScheduled, Reason: model.ReasonUpdateAdmitted, Commit: firstCommit,
	})
	run := model.Run{ID: model.DigestOf("a run"), App: in.App, Instance: 1, Number: 2, Spec: spec.Release, Phase: model.RunRunning, Since: ago(20), Deadline: now.Add(6 * time.Hour)}
	begin, end := run, run
	begin.Steps = []model.StepRun{
		{Name: "migrate", Phase: model.StepActive, Since: ago(20), Started: ago(20), Attempt: 1, Deadline: ago(-10)},
		{Name: "agree", Phase: model.StepPending}, {Name: "release", Phase: model.StepPending},
	}
	end.Steps = []model.StepRun{
		{Name: "migrate", Phase: model.StepSucceeded, Reason: "Done", Since: ago(15), Started: ago(20), Attempt: 1},
		{Name: "agree", Phase: model.StepActive, Since: ago(15), Started: ago(15), Attempt: 1, Deadline: now.Add(2 * time.Hour), Actors: []string{"ann"}},
		{Name: "release", Phase: model.StepPending},
	}
	end.Commands = []model.Handled{
		{ID: model.DigestOf("a"), Action: model.CommandApprove, Step: "agree", By: "ann", Commit: firstCommit},
		{ID: model.DigestOf("b"), Action: model.CommandApprove, Step: "agree", By: "bob\x1b[31m", Commit: secondCommit, Refused: "step agree needs the role tenant-admin, and bob has owner"},
	}
	early, late = in, in
	early.Run, late.Run = &begin, &end
	return early, late
}

func shop(start time.Time) model.Instance {
	spec := model.Application{
		ID: id("acme", "shop"), Priority: 600, Desired: "running", Commit: firstCommit,
		Components: []model.Component{
			{Name: "database", Type: "store", Replicas: 1, Critical: true, Requests: model.Resources{CPU: 2000, Memory: 4 << 30}, QoS: "guaranteed"},
			{Name: "migrate", Type: "job", Replicas: 1, Critical: true, DependsOn: []string{"database"}, Requests: model.Resources{CPU: 250, Memory: 256 << 20}, QoS: "burstable"},
			{Name: "settings", Type: "config", Properties: json.RawMessage(`{"data":{"LOG_LEVEL":"info"}}`)},
			{Name: "web", Type: "webservice", Replicas: 4, Critical: true, DependsOn: []string{"migrate"}, Requests: model.Resources{CPU: 500, Memory: 512 << 20}, QoS: "burstable"},
			{Name: "worker", Type: "worker", Replicas: 2, DependsOn: []string{"migrate"}, Requests: model.Resources{CPU: 1000, Memory: 1 << 30}, QoS: "best-effort"},
		},
	}.Seal()
	in := instance(&spec, start, model.PhaseRunning, model.ReasonReady, "everything runs as granted", "general")
	in.Components[1].State = model.StateDone
	in.History = []model.Transition{
		{At: start, Instance: 1, To: model.PhaseCreated, Reason: model.ReasonDeclared, Message: "application appears in Git", Commit: firstCommit},
		{At: start, Instance: 1, From: model.PhaseCreated, To: model.PhaseAdmitted, Reason: model.ReasonAdmissionPassed, Commit: firstCommit},
		{At: start, Instance: 1, From: model.PhaseAdmitted, To: model.PhaseScheduled, Reason: model.ReasonGranted, Message: "everything it asks for is granted in pool general", Commit: firstCommit},
		{At: start.Add(time.Minute), Instance: 1, From: model.PhaseScheduled, To: model.PhaseRunning, Reason: model.ReasonReady, Message: "everything runs as granted", Commit: firstCommit},
	}
	in.Since = start.Add(time.Minute)
	in.Shown = &model.Shown{At: in.Since, Components: []model.ShownComponent{
		{Component: "database", Told: 1, Ready: 1, Held: 1, Images: []string{"ghcr.io/acme/pg:16@sha256:" + strings.Repeat("1a", 32)}},
		{Component: "settings", Told: 1, Ready: 1, Held: 1},
		{Component: "web", Told: 2, Ready: 2, Held: 2, Images: []string{"ghcr.io/acme/shop:1.4.2@sha256:" + strings.Repeat("2b", 32)}},
		{Component: "worker", Told: 2, Ready: 2, Held: 2},
	}}
	return in
}

func rendering(start time.Time) model.Instance {
	spec := model.Application{
		ID: id("initech", "rendering"), Priority: 150, Desired: "running", Commit: firstCommit,
		Components: []model.Component{{Name: "farm", Type: "worker", Replicas: 6, Critical: true,
			Requests: model.Resources{CPU: 2000, Memory: 4 << 30}, QoS: "burstable", Degrade: &model.Degrade{MinReplicas: 2}}},
	}.Seal()
	in := instance(&spec, start, model.PhaseDegraded, model.ReasonCapacityShort,
		"granted its minimum in pool batch; in full it needs 12 cpu in pool batch, where 8 is free", "batch")
	in.Components[0].Grant.Replicas = 2
	return in
}

// simulation waits. What it says of itself tries to disturb the terminal.
func simulation(start time.Time) model.Instance {
	return model.Instance{App: id("initech", "simulation"), Number: 1, Phase: model.PhaseAdmitted, Reason: model.ReasonCapacityShort, Since: start,
		Message: "waits for capacity, number 1 in line; it needs 16 cpu \x1b[31min pool 批处理\u202e, where 4 is free"}
}

func analytics(start time.Time) model.Instance {
	return model.Instance{App: id("acme", "analytics"), Number: 2, Phase: model.PhaseRejected, Reason: model.ReasonQuotaExceeded, Since: start,
		Message: "asks for 24 cpu, tenant acme has 3 of 10 left"}
}

func old(start time.Time) model.Instance {
	return model.Instance{App: id("acme", "old"), Number: 1, Phase: model.PhaseTerminated, Reason: model.ReasonRemoved, Since: start, Message: "removed from Git"}
}

func instance(spec *model.Application, since time.Time, phase model.Phase, reason model.Reason, message, pool string) model.Instance {
	in := model.Instance{App: spec.ID, Number: 1, Phase: phase, Reason: reason, Message: message, Since: since, Spec: spec}
	for _, c := range spec.Components {
		in.Components = append(in.Components, model.ComponentState{
			Grant: model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: pool},
			Run:   c.Replicas, State: model.StateReady, Since: since,
		})
	}
	return in
}

func decisions(instances []model.Instance) []model.Decision {
	inputs := model.Inputs{Commit: firstCommit, Policy: "aaaaaaaaaaaa", Capacity: "cccccccccccc"}
	var list []model.Decision
	for i := range instances {
		in := &instances[i]
		d := model.Decision{App: in.App, Verdict: model.VerdictGranted, Reason: model.ReasonFits, Spec: in.SpecDigest(), Inputs: inputs,
			Message: "everything it asks for is granted in pool general"}
		switch in.App.Name {
		case "old":
			continue
		case "analytics":
			d.Verdict, d.Reason, d.Message = model.VerdictRejected, in.Reason, in.Message
			d.Constraints = []model.Constraint{
				{Name: "quota.cpu", Asked: "24", Used: "7", Limit: "10", Short: "21", At: "tenants/acme/tenant.cue:9:20"},
				{Name: "quota.memory", Asked: "48Gi", Used: "8Gi", Limit: "64Gi", OK: true, At: "tenants/acme/tenant.cue:10:20"},
			}
			d.WouldAdmit = []string{"raise tenant acme's quota of cpu to 31", "ask for 1 replica of engine"}
		case "simulation":
			d.Verdict, d.Reason, d.Message, d.Position = model.VerdictWaiting, in.Reason, in.Message, 1
			d.BlockedBy = []model.AppID{id("initech", "rendering")}
			d.WouldAdmit = []string{"free 12 more cpu in pool batch"}
			d.Standing, d.Shares = model.StandingBorrowing, []model.TenantShare{{Of: "tenant initech", Used: 250, Guaranteed: 125, FairShare: 500, Weight: 1}}
		case "rendering":
			d.Reason, d.Message, d.Degraded = in.Reason, in.Message, true
		case "shop":
			d.Constraints = []model.Constraint{{Name: "quota.cpu", Asked: "6250m", Used: "0", Limit: "10", OK: true, At: "tenants/acme/tenant.cue:9:20"}}
			d.Policies = []model.PolicyValue{
				{Path: "limits.maxReplicas", Value: "20", Layer: "tenant", At: "tenants/acme/tenant.cue:15:24"},
				{Path: "preemption", Value: "within-tenant", Layer: "platform", At: "fleet.cue:21:15"},
			}
		}
		list = append(list, d)
	}
	return list
}
