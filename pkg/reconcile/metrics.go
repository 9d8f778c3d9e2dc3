package reconcile

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
)

// Metrics are the figures of a loop, all named daros_*. They are fed with one
// Report a pass. No label takes more values than a fleet of any size can bear.
type Metrics struct {
	applications *prometheus.GaugeVec
	transitions  *prometheus.CounterVec
	decisions    *prometheus.CounterVec
	problems     prometheus.Gauge
	passes       *prometheus.CounterVec
	stages       *prometheus.HistogramVec
	objects      *prometheus.CounterVec
	requests     *prometheus.CounterVec
	drift        prometheus.Counter
	saves        prometheus.Counter
	queue        prometheus.Histogram
	start        prometheus.Histogram
	phases       *prometheus.HistogramVec
	lastGood     prometheus.Gauge

	runs     *prometheus.CounterVec
	runTime  *prometheus.HistogramVec
	steps    *prometheus.CounterVec
	stepTime *prometheus.HistogramVec

	overdue *prometheus.GaugeVec
	oldest  *prometheus.GaugeVec
	people  *prometheus.GaugeVec

	tenants map[string]bool // that have a label of their own
}

// maxTenants bounds the tenants that have a label of their own; others are "other".
const maxTenants = 200

// NewMetrics registers the figures. A nil registerer leaves them unregistered.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	f := promauto.With(reg)
	seconds := prometheus.ExponentialBuckets(0.001, 4, 10)
	long := prometheus.ExponentialBuckets(0.25, 4, 10)
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return f.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return f.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	return &Metrics{
		applications: gauge("daros_applications", "Application instances by phase.", "phase"),
		transitions:  counter("daros_transitions_total", "Transitions by phase entered and reason.", "phase", "reason"),
		decisions:    counter("daros_decisions_total", "New decisions by verdict and reason.", "verdict", "reason"),
		problems:     f.NewGauge(prometheus.GaugeOpts{Name: "daros_problems", Help: "Problems in the current commit of the fleet repo."}),
		passes:       counter("daros_passes_total", "Passes by result: ok or error.", "result"),
		stages:       histogram("daros_stage_seconds", "Duration of the stages of a pass.", seconds, "stage"),
		objects:      counter("daros_objects_total", "Objects by the action taken.", "action"),
		requests:     counter("daros_api_requests_total", "Requests to the API server, without watches.", "verb"),
		drift:        f.NewCounter(prometheus.CounterOpts{Name: "daros_drift_corrected_total", Help: "Objects restored after others changed or deleted them."}),
		saves:        f.NewCounter(prometheus.CounterOpts{Name: "daros_status_commits_total", Help: "Commits written to the status branch."}),
		queue:        f.NewHistogram(prometheus.HistogramOpts{Name: "daros_queue_seconds", Help: "Time from Created to Scheduled.", Buckets: long}),
		start:        f.NewHistogram(prometheus.HistogramOpts{Name: "daros_start_seconds", Help: "Time from Scheduled to Running.", Buckets: long}),
		phases:       histogram("daros_phase_seconds", "Time that instances spent in a phase, recorded when they leave it.", long, "phase"),
		lastGood: f.NewGauge(prometheus.GaugeOpts{Name: "daros_last_good_pass_timestamp_seconds",
			Help: "Time of the last successful pass; its age is the lag of the status branch."}),

		runs:     counter("daros_runs_total", "Workflow runs that ended, by tenant and outcome.", "tenant", "outcome"),
		runTime:  histogram("daros_run_seconds", "Time from the first step of a run to its end.", long, "outcome"),
		steps:    counter("daros_steps_total", "Workflow steps that ended, by tenant, type and outcome.", "tenant", "type", "outcome"),
		stepTime: histogram("daros_step_seconds", "Duration of the last attempt of a step.", long, "type", "outcome"),

		overdue: gauge("daros_overdue_applications", "Stuck instances by phase: their deadline passed and they did not move on.", "phase"),
		oldest:  gauge("daros_oldest_wait_seconds", "Longest time that an instance has been waiting in a phase, by phase.", "phase"),
		people:  gauge("daros_waits_for_people", "Workflow steps that wait for people, by the command that ends the wait.", "action"),
		tenants: map[string]bool{},
	}
}

// observe feeds one pass.
func (m *Metrics) observe(r *Report, err error) {
	for i, s := range r.Stages {
		end := r.Ended
		if i+1 < len(r.Stages) {
			end = r.Stages[i+1].Began
		}
		m.stages.WithLabelValues(s.Stage).Observe(end.Sub(s.Began).Seconds())
	}
	if err != nil {
		m.passes.WithLabelValues("error").Inc()
	} else {
		m.passes.WithLabelValues("ok").Inc()
		m.lastGood.Set(float64(r.Ended.UnixMilli()) / 1000)
	}
	if r.Phases != nil {
		for _, p := range model.Phases {
			m.applications.WithLabelValues(string(p)).Set(float64(r.Phases[p]))
		}
		m.problems.Set(float64(len(r.Problems)))
		m.standstill(&r.Standstill)
	}
	for _, t := range r.Transitions {
		m.transitions.WithLabelValues(string(t.To), string(t.Reason)).Inc()
		m.time(t)
	}
	for _, s := range r.Steps {
		m.step(s)
	}
	for _, d := range r.Decisions {
		m.decisions.WithLabelValues(string(d.Verdict), string(d.Reason)).Inc()
	}
	m.applied(&r.Applied)
	if r.Saved {
		m.saves.Inc()
	}
}

func (m *Metrics) applied(r *apply.Report) {
	for _, a := range []apply.Action{apply.Created, apply.Configured, apply.Corrected, apply.Pruned, apply.Failed, apply.Kept} {
		m.objects.WithLabelValues(string(a)).Add(float64(r.Count(a)))
	}
	m.drift.Add(float64(r.Count(apply.Corrected)))
	m.requests.WithLabelValues("apply").Add(float64(r.Requests.Apply))
	m.requests.WithLabelValues("get").Add(float64(r.Requests.Get))
	m.requests.WithLabelValues("delete").Add(float64(r.Requests.Delete))
}

// time measures how long applications wait, start and stay.
func (m *Metrics) time(t Transition) {
	if t.Queued > 0 {
		m.queue.Observe(t.Queued.Seconds())
	}
	if t.From == "" || t.From == t.To {
		return
	}
	m.phases.WithLabelValues(string(t.From)).Observe(t.In.Seconds())
	if t.From == model.PhaseScheduled && t.To == model.PhaseRunning {
		m.start.Observe(t.In.Seconds())
	}
}

// step counts what ended of a workflow.
func (m *Metrics) step(s Step) {
	switch tenant := m.tenant(s.App.Tenant); {
	case s.Step == "" && model.RunPhase(s.To).Ended():
		m.runs.WithLabelValues(tenant, s.To).Inc()
		m.runTime.WithLabelValues(s.To).Observe(s.Took.Seconds())
	case s.Step != "" && model.StepPhase(s.To).Ended():
		m.steps.WithLabelValues(tenant, s.Type, s.To).Inc()
		m.stepTime.WithLabelValues(s.Type, s.To).Observe(s.Took.Seconds())
	}
}

// tenant is the label of a tenant.
func (m *Metrics) tenant(name string) string {
	if !m.tenants[name] && len(m.tenants) >= maxTenants {
		return "other"
	}
	m.tenants[name] = true
	return name
}

func (m *Metrics) standstill(s *Standstill) {
	for _, p := range model.Phases {
		m.overdue.WithLabelValues(string(p)).Set(float64(s.Overdue[p]))
	}
	for _, p := range []model.Phase{model.PhaseCreated, model.PhaseAdmitted, model.PhaseScheduled, model.PhaseDegraded} {
		m.oldest.WithLabelValues(string(p)).Set(s.Oldest[p].Round(time.Second).Seconds())
	}
	for _, action := range []string{model.CommandApprove, model.CommandResume} {
		m.people.WithLabelValues(action).Set(float64(s.People[action]))
	}
}
