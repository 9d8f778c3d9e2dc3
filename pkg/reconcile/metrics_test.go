package reconcile

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/page"
)

var update = flag.Bool("update", false, "rewrite the table in docs/operations.md")

// busy is a report in which everything happened.
func busy() Report {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	id := model.AppID{Tenant: "acme", Name: "shop"}
	shop := announce.Subject{App: id, Instance: 1}
	behind := 30 * time.Second
	return Report{
		Room:     Room{OverQuota: []model.OverQuota{{Tenant: "acme", Resource: "cpu", Granted: 6500, Limit: 6000}}},
		Measured: Measured{Limits: map[string]float64{"fleet-files": 0.5}, Behind: &behind, Views: []runtime.View{{Runtime: "cluster west", At: at}}},
		Times:    Times{at, at.Add(3 * time.Second), []StageTime{{StageSource, at}, {StageAct, at.Add(time.Second)}}},
		Saved:    true,
		Phases:   map[model.Phase]int{model.PhaseRunning: 1},
		Changes: []announce.Announcement{
			{Kind: announce.Transition, Subject: shop, Change: announce.Change{At: at, To: "Created", Reason: model.ReasonDeclared}},
			{Kind: announce.Transition, Subject: shop, Change: announce.Change{From: "Admitted", To: "Scheduled", Reason: model.ReasonGranted}, Times: announce.Times{Queued: time.Second}},
			{Kind: announce.Transition, Subject: shop, Change: announce.Change{From: "Scheduled", To: "Running", Reason: model.ReasonReady}, Times: announce.Times{Took: 2 * time.Second}},
			{Kind: announce.Step, Subject: announce.Subject{App: id, Run: 1, Step: "migrate", Type: "job"}, Change: announce.Change{From: "active", To: "succeeded"}, Times: announce.Times{Took: 5 * time.Second}},
			{Kind: announce.Step, Subject: announce.Subject{App: id, Run: 1, Step: "agree", Type: "approval"}, Change: announce.Change{From: "queued", To: "active"}},
			{Kind: announce.Run, Subject: announce.Subject{App: id, Run: 1}, Change: announce.Change{From: "running", To: "succeeded"}, Times: announce.Times{Took: 7 * time.Second}},
		},
		Decisions: []model.Decision{{App: id, Verdict: model.VerdictGranted, Reason: model.ReasonFits}},
		Standstill: Standstill{Overdue: map[model.Phase]int{model.PhaseScheduled: 2}, Oldest: map[model.Phase]time.Duration{model.PhaseAdmitted: time.Minute},
			People: map[string]int{model.CommandApprove: 3}},
		Problems: []model.Problem{{Code: "DA1001"}},
		Acted: Acted{Applied: runtime.Report{Requests: runtime.Requests{Apply: 2}, Outcomes: []runtime.Outcome{{App: id, Results: []runtime.Result{
			{Action: runtime.Created}, {Action: runtime.Corrected}}}}}},
	}
}

// TestMetricsPageIsTrue holds docs/operations.md to what is registered.
func TestMetricsPageIsTrue(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry, true)
	r := busy()
	m.observe(&r, nil)
	m.ledger.observe(busyLedger(), []model.Pool{{Name: "general"}})
	m.announce(r.Changes)
	families, err := registry.Gather()
	require.NoError(t, err)
	var table strings.Builder
	table.WriteString("| metric | labels | meaning |\n|---|---|---|\n")
	for _, f := range families {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", f.GetName(), strings.Join(labels, ", "), f.GetHelp())
	}
	page.Hold(t, *update, "../../docs/operations.md", "metrics", table.String())
}

// gathered returns the values of all series, named by their metric and the values of
// their labels, sorted by the names of the labels.
func gathered(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	families, err := registry.Gather()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			name := f.GetName()
			for _, l := range s.GetLabel() {
				name += " " + l.GetValue()
			}
			got[name] = s.GetCounter().GetValue() + s.GetGauge().GetValue() + s.GetHistogram().GetSampleSum()
		}
	}
	return got
}

// TestMetricsAddUp feeds two passes and reads the figures.
func TestMetricsAddUp(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry, true)
	r := busy()
	m.observe(&r, nil)
	m.announce(r.Changes)
	m.observe(&r, errors.New("down"))
	m.announce(r.Changes)
	got := gathered(t, registry)
	for name, want := range map[string]float64{
		"daros_passes_total ok": 1, "daros_passes_total error": 1, "daros_status_commits_total": 2, "daros_drift_corrected_total": 2,
		"daros_objects_total created": 2, "daros_applications Running": 1, "daros_applications Degraded": 0, "daros_problems": 1,
		"daros_stage_seconds source": 2, "daros_stage_seconds act": 4, "daros_queue_seconds": 2, "daros_start_seconds": 4,
		"daros_phase_seconds Scheduled": 4, "daros_runs_total succeeded acme": 2, "daros_run_seconds succeeded": 14,
		"daros_steps_total succeeded acme job": 2, "daros_step_seconds succeeded job": 10, "daros_overdue_applications Scheduled": 2,
		"daros_overdue_applications Running": 0, "daros_oldest_wait_seconds Admitted": 60, "daros_waits_for_people approve": 3,
		"daros_transitions_total Running Ready": 2, "daros_decisions_total Fits granted": 2,
		"daros_limit_ratio fleet-files": 0.5, "daros_mirror_behind_seconds": 30,
	} {
		require.Equal(t, want, got[name], name)
	}
}

// TestTenantsHaveABoundedNumberOfLabels: a fleet of very many tenants does not fill
// the memory of whoever scrapes it.
func TestTenantsHaveABoundedNumberOfLabels(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry, true)
	for i := range 2 * maxTenants {
		m.workflows.step(&announce.Announcement{Subject: announce.Subject{App: model.AppID{Tenant: fmt.Sprint("t", i), Name: "a"}}, Change: announce.Change{To: "succeeded"}})
	}
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		require.LessOrEqual(t, len(f.GetMetric()), maxTenants+1, f.GetName())
	}
}

const gib = int64(1 << 30)

// busyLedger is a ledger in which one application waits and another one is half ready.
func busyLedger() *model.Ledger {
	component := func(state model.State, replicas int) model.ComponentState {
		return model.ComponentState{State: state, Run: replicas, Grant: model.Grant{Component: string(state), Replicas: replicas, Pool: "general",
			Requests: model.Resources{CPU: 500, Memory: gib}}}
	}
	id := func(name string) model.AppID { return model.AppID{Tenant: "acme", Name: name} }
	return &model.Ledger{
		Revision: model.Revision{1},
		Tenants:  []model.Tenant{{Name: "acme", Quota: &model.Resources{CPU: 8000, Memory: 16 * gib}}, {Name: "globex"}},
		Instances: []model.Instance{
			{App: id("shop"), Number: 1, Phase: model.PhaseDegraded, Components: []model.ComponentState{component(model.StateReady, 2), component(model.StateStarting, 1)},
				Shown:    &model.Shown{Components: []model.ShownComponent{{Component: string(model.StateReady), Told: 2, Ready: 1}}},
				Outcomes: []model.Outcome{{Reason: model.OutcomeInvalid}, {Reason: model.OutcomeForbidden, Objects: 3}}},
			{App: id("wiki"), Number: 1, Phase: model.PhaseAdmitted},
		},
		Decisions: []model.Decision{
			{App: id("shop"), Verdict: model.VerdictGranted, Reason: model.ReasonFits},
			{App: id("wiki"), Verdict: model.VerdictWaiting, Reason: model.ReasonCapacityShort},
		},
	}
}

// TestLedgerMetrics reads the figures of tenants, pools and applications from a ledger.
func TestLedgerMetrics(t *testing.T) {
	ledger := *busyLedger()
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry, true)
	pools := []model.Pool{{Name: "general", Capacity: model.Resources{CPU: 64_000, Memory: 256 * gib}}}
	m.ledger.observe(&ledger, pools)
	got := gathered(t, registry)
	for name, want := range map[string]float64{
		"daros_tenant_quota cpu acme": 8, "daros_tenant_granted cpu acme": 1.5, "daros_tenant_ready cpu acme": 0.5,
		"daros_outcomes Invalid acme": 1, "daros_outcomes Forbidden acme": 3,
		"daros_tenant_granted memory acme": float64(3 * gib), "daros_tenant_granted cpu globex": 0,
		"daros_tenant_applications Degraded acme": 1, "daros_tenant_applications Admitted acme": 1, "daros_tenant_applications Running acme": 0,
		"daros_waiting CapacityShort acme": 1, "daros_pool_capacity general cpu": 64, "daros_pool_granted general cpu": 1.5,
		"daros_application_phase shop Degraded acme": 1,
	} {
		require.Contains(t, got, name)
		require.Equal(t, want, got[name], name)
	}
	require.NotContains(t, got, "daros_tenant_quota cpu globex", "globex has no quota")
	without := ledger.Instances[0]
	without.Shown = nil
	require.Equal(t, 2, readyOf(&without, &without.Components[0]), "no record says what runs")
	without.Shown = &model.Shown{Components: []model.ShownComponent{{Component: string(model.StateReady), Ready: 2}, {Component: string(model.StateReady), Beside: true, Ready: 1}}}
	require.Equal(t, 3, readyOf(&without, &without.Components[0]), "two versions run")

	ledger.Instances = ledger.Instances[:1]
	m.ledger.observe(&ledger, pools)
	require.Equal(t, got, gathered(t, registry), "an equal revision says that the ledger is the same")
	ledger.Revision = model.Revision{2}
	m.ledger.observe(&ledger, pools)
	require.NotContains(t, gathered(t, registry), "daros_waiting CapacityShort acme", "what is gone has no series")
}
