package reconcile

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// fleetMetrics are about the fleet after the last pass.
type fleetMetrics struct {
	applications *prometheus.GaugeVec
	problems     prometheus.Gauge
	orphans      prometheus.Gauge
	overdue      *prometheus.GaugeVec
	oldest       *prometheus.GaugeVec
	people       *prometheus.GaugeVec
	overQuota    *prometheus.GaugeVec
}

func newFleetMetrics(f factory) fleetMetrics {
	return fleetMetrics{
		applications: f.gauge("daros_applications", "Application instances by phase.", "phase"),
		problems:     f.gauge("daros_problems", "Problems in the current commit of the fleet repo.").WithLabelValues(),
		orphans:      f.gauge("daros_orphans", "Applications with objects in the cluster that no record knows: they stay until a file confirms their removal.").WithLabelValues(),
		overdue:      f.gauge("daros_overdue_applications", "Stuck instances by phase: their deadline passed and they did not move on.", "phase"),
		oldest:       f.gauge("daros_oldest_wait_seconds", "Longest time that an instance has been waiting in a phase, by phase.", "phase"),
		people:       f.gauge("daros_waits_for_people", "Workflow steps that wait for people, by the command that ends the wait.", "action"),
		overQuota:    f.gauge("daros_over_quota", "What a tenant or a group is granted beyond its quota, in cores, bytes or numbers.", "tenant", "group", "resource"),
	}
}

// maxOverQuota bounds the states with a label of their own; others are of tenant "other".
const maxOverQuota = 500

func (m *fleetMetrics) observe(r *Report) {
	for _, p := range model.Phases {
		m.applications.WithLabelValues(string(p)).Set(float64(r.Phases[p]))
		m.overdue.WithLabelValues(string(p)).Set(float64(r.Standstill.Overdue[p]))
	}
	m.problems.Set(float64(len(r.Problems)))
	m.orphans.Set(float64(r.Standstill.Orphans))
	for _, p := range []model.Phase{model.PhaseCreated, model.PhaseAdmitted, model.PhaseScheduled, model.PhaseDegraded} {
		m.oldest.WithLabelValues(string(p)).Set(r.Standstill.Oldest[p].Round(time.Second).Seconds())
	}
	m.overQuota.Reset()
	for i, q := range r.OverQuota {
		tenant, group, over := q.Tenant, q.Group, float64(q.Granted-q.Limit)
		if q.Resource == "cpu" {
			over /= 1000
		}
		if i >= maxOverQuota {
			tenant, group = "other", ""
		}
		m.overQuota.WithLabelValues(tenant, group, q.What()).Add(over)
	}
	for _, action := range []string{model.CommandApprove, model.CommandResume} {
		m.people.WithLabelValues(action).Set(float64(r.Standstill.People[action]))
	}
}

// changeMetrics are about transitions and decisions.
type changeMetrics struct {
	transitions *prometheus.CounterVec
	decisions   *prometheus.CounterVec
	queue       prometheus.Observer
	start       prometheus.Observer
	phases      *prometheus.HistogramVec
}

func newChangeMetrics(f factory) changeMetrics {
	return changeMetrics{
		transitions: f.counter("daros_transitions_total", "Transitions by phase entered and reason.", "phase", "reason"),
		decisions:   f.counter("daros_decisions_total", "New decisions by verdict and reason.", "verdict", "reason"),
		queue:       f.histogram("daros_queue_seconds", "Time from Created to Scheduled.", long).WithLabelValues(),
		start:       f.histogram("daros_start_seconds", "Time from Scheduled to Running.", long).WithLabelValues(),
		phases:      f.histogram("daros_phase_seconds", "Time that instances spent in a phase, recorded when they leave it.", long, "phase"),
	}
}

func (m *changeMetrics) decided(list []model.Decision) {
	for i := range list {
		m.decisions.WithLabelValues(string(list[i].Verdict), string(list[i].Reason)).Inc()
	}
}

// transition counts a transition, and measures how long applications wait, start and
// stay.
func (m *changeMetrics) transition(t *announce.Announcement) {
	m.transitions.WithLabelValues(t.To, string(t.Reason)).Inc()
	if t.Queued > 0 {
		m.queue.Observe(t.Queued.Seconds())
	}
	if t.From == "" || t.From == t.To {
		return
	}
	m.phases.WithLabelValues(t.From).Observe(t.Took.Seconds())
	if t.From == string(model.PhaseScheduled) && t.To == string(model.PhaseRunning) {
		m.start.Observe(t.Took.Seconds())
	}
}

// workflowMetrics are about the runs of workflows.
type workflowMetrics struct {
	runs     *prometheus.CounterVec
	runTime  *prometheus.HistogramVec
	steps    *prometheus.CounterVec
	stepTime *prometheus.HistogramVec
	tenants  map[string]bool // that have a label of their own
}

func newWorkflowMetrics(f factory) workflowMetrics {
	return workflowMetrics{
		runs:     f.counter("daros_runs_total", "Workflow runs that ended, by tenant and outcome.", "tenant", "outcome"),
		runTime:  f.histogram("daros_run_seconds", "Time from the first step of a run to its end.", long, "outcome"),
		steps:    f.counter("daros_steps_total", "Workflow steps that ended, by tenant, type and outcome.", "tenant", "type", "outcome"),
		stepTime: f.histogram("daros_step_seconds", "Duration of the last attempt of a step.", long, "type", "outcome"),
		tenants:  map[string]bool{},
	}
}

// run counts a run that has ended.
func (m *workflowMetrics) run(a *announce.Announcement) {
	if model.RunPhase(a.To).Ended() {
		m.runs.WithLabelValues(m.tenant(a.App.Tenant), a.To).Inc()
		m.runTime.WithLabelValues(a.To).Observe(a.Took.Seconds())
	}
}

// step counts a step that has ended.
func (m *workflowMetrics) step(a *announce.Announcement) {
	if model.StepPhase(a.To).Ended() {
		m.steps.WithLabelValues(m.tenant(a.App.Tenant), a.Type, a.To).Inc()
		m.stepTime.WithLabelValues(a.Type, a.To).Observe(a.Took.Seconds())
	}
}

// tenant is the label of a tenant.
func (m *workflowMetrics) tenant(name string) string {
	if !m.tenants[name] && len(m.tenants) >= maxTenants {
		return "other"
	}
	m.tenants[name] = true
	return name
}
