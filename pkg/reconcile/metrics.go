package reconcile

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
)

// Metrics are the figures of a loop, all named daros_*. They are fed with one
// Report a pass.
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
	lastGood     prometheus.Gauge

	waiting map[model.AppID]time.Time // since when an application is not Running
}

// NewMetrics registers the figures. A nil registerer leaves them unregistered.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	f := promauto.With(reg)
	seconds := prometheus.ExponentialBuckets(0.001, 4, 10)
	long := prometheus.ExponentialBuckets(0.25, 4, 10)
	return &Metrics{
		applications: f.NewGaugeVec(prometheus.GaugeOpts{Name: "daros_applications", Help: "Application instances by phase."}, []string{"phase"}),
		transitions: f.NewCounterVec(prometheus.CounterOpts{Name: "daros_transitions_total", Help: "Transitions by phase entered and reason."},
			[]string{"phase", "reason"}),
		decisions: f.NewCounterVec(prometheus.CounterOpts{Name: "daros_decisions_total", Help: "New decisions by verdict and reason."},
			[]string{"verdict", "reason"}),
		problems: f.NewGauge(prometheus.GaugeOpts{Name: "daros_problems", Help: "Problems in the fleet repo at its present commit."}),
		passes:   f.NewCounterVec(prometheus.CounterOpts{Name: "daros_passes_total", Help: "Passes by result: ok or error."}, []string{"result"}),
		stages: f.NewHistogramVec(prometheus.HistogramOpts{Name: "daros_stage_seconds", Help: "Duration of the stages of a pass.", Buckets: seconds},
			[]string{"stage"}),
		objects:  f.NewCounterVec(prometheus.CounterOpts{Name: "daros_objects_total", Help: "Objects by what was done to them."}, []string{"action"}),
		requests: f.NewCounterVec(prometheus.CounterOpts{Name: "daros_api_requests_total", Help: "Requests to the API server, watches apart."}, []string{"verb"}),
		drift:    f.NewCounter(prometheus.CounterOpts{Name: "daros_drift_corrected_total", Help: "Objects put back after somebody else changed or deleted them."}),
		saves:    f.NewCounter(prometheus.CounterOpts{Name: "daros_status_commits_total", Help: "Commits written to the status branch."}),
		queue:    f.NewHistogram(prometheus.HistogramOpts{Name: "daros_queue_seconds", Help: "Time from Created to Scheduled.", Buckets: long}),
		start:    f.NewHistogram(prometheus.HistogramOpts{Name: "daros_start_seconds", Help: "Time from Scheduled to Running.", Buckets: long}),
		lastGood: f.NewGauge(prometheus.GaugeOpts{Name: "daros_last_good_pass_timestamp_seconds",
			Help: "When a pass last went through; its age is the lag of the status branch."}),
		waiting: map[model.AppID]time.Time{},
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
	}
	for _, t := range r.Transitions {
		m.transitions.WithLabelValues(string(t.To), string(t.Reason)).Inc()
		m.time(t)
	}
	for _, d := range r.Decisions {
		m.decisions.WithLabelValues(string(d.Verdict), string(d.Reason)).Inc()
	}
	for _, a := range []apply.Action{apply.Created, apply.Configured, apply.Corrected, apply.Pruned, apply.Failed, apply.Kept} {
		m.objects.WithLabelValues(string(a)).Add(float64(r.Applied.Count(a)))
	}
	m.drift.Add(float64(r.Applied.Count(apply.Corrected)))
	m.requests.WithLabelValues("apply").Add(float64(r.Applied.Requests.Apply))
	m.requests.WithLabelValues("get").Add(float64(r.Applied.Requests.Get))
	m.requests.WithLabelValues("delete").Add(float64(r.Applied.Requests.Delete))
	if r.Saved {
		m.saves.Inc()
	}
}

// time measures how long applications wait and start.
func (m *Metrics) time(t Transition) {
	since, ok := m.waiting[t.App]
	switch t.To {
	case model.Created:
		m.waiting[t.App] = t.At
	case model.Scheduled:
		if ok {
			m.queue.Observe(t.At.Sub(since).Seconds())
		}
		m.waiting[t.App] = t.At
	case model.Running:
		if ok && t.From == model.Scheduled {
			m.start.Observe(t.At.Sub(since).Seconds())
		}
		delete(m.waiting, t.App)
	case model.Terminated:
		delete(m.waiting, t.App)
	}
}
