package reconcile

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Metrics are the figures of a loop, all named daros_*. They are fed with one
// Report a pass. No label takes more values than a fleet of any size can bear.
type Metrics struct {
	passes    passMetrics
	fleet     fleetMetrics
	changes   changeMetrics
	workflows workflowMetrics
	objects   objectMetrics
	ledger    *ledgerMetrics
	edges     edgeMetrics
}

// NewMetrics registers the figures. A nil registerer leaves them unregistered. With
// applications, daros_application_phase has a series for each application.
func NewMetrics(reg prometheus.Registerer, applications bool) *Metrics {
	f := factory{promauto.With(reg)}
	return &Metrics{
		newPassMetrics(f), newFleetMetrics(f), newChangeMetrics(f), newWorkflowMetrics(f), newObjectMetrics(f),
		newLedgerMetrics(reg, applications), newEdgeMetrics(f),
	}
}

// observe feeds one pass.
func (m *Metrics) observe(r *Report, err error) {
	m.passes.observe(r, err)
	if r.Phases != nil {
		m.fleet.observe(r)
	}
	m.changes.decided(r.Decisions)
	m.objects.observe(&r.Applied)
	m.edges.observe(&r.Measured)
}

// announce feeds what was saved.
func (m *Metrics) announce(list []announce.Announcement) {
	for i := range list {
		switch a := &list[i]; a.Kind {
		case announce.Transition:
			m.changes.transition(a)
		case announce.Run:
			m.workflows.run(a)
		case announce.Step:
			m.workflows.step(a)
		}
	}
}

// Buckets of histograms: of what takes milliseconds to minutes, and of what takes
// seconds to days.
var (
	short = prometheus.ExponentialBuckets(0.001, 4, 10)
	long  = prometheus.ExponentialBuckets(0.25, 4, 10)
)

// factory makes and registers metrics.
type factory struct{ promauto.Factory }

func (f factory) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return f.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func (f factory) counter(name, help string, labels ...string) *prometheus.CounterVec {
	return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (f factory) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return f.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// passMetrics are about passes.
type passMetrics struct {
	passes   *prometheus.CounterVec
	stages   *prometheus.HistogramVec
	saves    prometheus.Counter
	lastGood *prometheus.GaugeVec // without a value until there is one
	leader   prometheus.Gauge
	lastRead prometheus.Gauge
	refused  *prometheus.GaugeVec
	left     prometheus.Gauge
	foreign  prometheus.Counter
}

func newPassMetrics(f factory) passMetrics {
	return passMetrics{
		passes: f.counter("daros_passes_total", "Passes by result: ok, stale (the fleet repo could not be read) or error.", "result"),
		stages: f.histogram("daros_stage_seconds", "Duration of the stages of a pass.", short, "stage"),
		saves:  f.counter("daros_status_commits_total", "Commits written to the status branch.").WithLabelValues(),
		lastGood: f.gauge("daros_last_good_pass_timestamp_seconds",
			"Time of the last successful pass; its age is the lag of the status branch."),
		leader:  f.gauge("daros_leader", "1 in the process that reconciles, 0 in one that stands by until it gets the Lease.").WithLabelValues(),
		refused: f.gauge("daros_ledger_refused", "1 while the status branch is not the ledger of the fleet, by reason: nothing is decided then.", "reason"),
		left:    f.gauge("daros_left", "Applications and tenants that the last pass left to be carried out by the next one.").WithLabelValues(),
		foreign: f.counter("daros_status_foreign_commits_total",
			"Commits found on the status branch that no trusted key signed, or that are older than the last save.").WithLabelValues(),
		lastRead: f.gauge("daros_source_last_read_timestamp_seconds", "Time of the last fetch of the fleet repo.").WithLabelValues(),
	}
}

func (m *passMetrics) observe(r *Report, err error) {
	for stage, took := range r.took() {
		m.stages.WithLabelValues(stage).Observe(took.Seconds())
	}
	m.left.Set(float64(r.Left))
	switch {
	case err != nil:
		m.passes.WithLabelValues("error").Inc()
	case r.SourceErr != nil:
		m.passes.WithLabelValues("stale").Inc()
	default:
		m.passes.WithLabelValues("ok").Inc()
		m.lastGood.WithLabelValues().Set(float64(r.Ended.UnixMilli()) / 1000)
	}
	if r.Saved {
		m.saves.Inc()
	}
	refused := &LedgerRefusedError{}
	errors.As(err, &refused)
	for _, reason := range refusals {
		m.refused.WithLabelValues(reason).Set(0)
	}
	if refused.Reason != "" {
		m.refused.WithLabelValues(refused.Reason).Set(1)
	}
}

// read takes when the fleet repo was read last, zero if it never was.
func (m *passMetrics) read(last time.Time) {
	if !last.IsZero() {
		m.lastRead.Set(float64(last.UnixMilli()) / 1000)
	}
}

// objectMetrics are about what is done in the cluster.
type objectMetrics struct {
	objects  *prometheus.CounterVec
	requests *prometheus.CounterVec
	drift    prometheus.Counter
}

func newObjectMetrics(f factory) objectMetrics {
	return objectMetrics{
		objects:  f.counter("daros_objects_total", "Objects by the action taken.", "action"),
		requests: f.counter("daros_api_requests_total", "Requests to the API server, without watches.", "verb"),
		drift:    f.counter("daros_drift_corrected_total", "Objects restored after others changed or deleted them.").WithLabelValues(),
	}
}

func (m *objectMetrics) observe(r *runtime.Report) {
	for _, a := range []runtime.Action{runtime.Created, runtime.Configured, runtime.Adopted, runtime.Corrected, runtime.Pruned, runtime.Failed, runtime.Kept} {
		m.objects.WithLabelValues(string(a)).Add(float64(r.Count(a)))
	}
	m.drift.Add(float64(r.Count(runtime.Corrected)))
	m.requests.WithLabelValues("apply").Add(float64(r.Requests.Apply))
	m.requests.WithLabelValues("get").Add(float64(r.Requests.Get))
	m.requests.WithLabelValues("delete").Add(float64(r.Requests.Delete))
}

// edgeMetrics are about the repositories and the runtimes.
type edgeMetrics struct {
	limits *prometheus.GaugeVec
	mirror *prometheus.GaugeVec // without a value where there is no mirror
	seen   *prometheus.GaugeVec
}

func newEdgeMetrics(f factory) edgeMetrics {
	return edgeMetrics{
		limits: f.gauge("daros_limit_ratio", "Used part of a limit, by the name of its flag: what exceeds 1 is refused.", "limit"),
		mirror: f.gauge("daros_mirror_behind_seconds", "Time for which the mirror of the status branch has lacked a save, 0 if it has all."),
		seen: f.gauge("daros_runtime_last_seen_timestamp_seconds",
			"Time at which a runtime, such as a cluster, last showed what it has; 0 if it has not since the reconciler started.", "runtime"),
	}
}

func (m *edgeMetrics) observe(r *Measured) {
	for name, used := range r.Limits {
		m.limits.WithLabelValues(name).Set(used)
	}
	if r.Behind != nil {
		m.mirror.WithLabelValues().Set(r.Behind.Seconds())
	}
	for _, v := range r.Views {
		at := 0.0
		if !v.At.IsZero() {
			at = float64(v.At.Unix())
		}
		m.seen.WithLabelValues(v.Runtime).Set(at)
	}
}
