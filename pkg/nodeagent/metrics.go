//go:build linux

package nodeagent

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/qos/network"
)

// metrics has the counters of the agent.
type metrics struct {
	lastPass atomic.Int64 // Unix nanoseconds
	problem  atomic.Pointer[string]
	shown    time.Time   // change of the report that the gauges show
	uplink   *qos.Uplink // that the gauges show

	passes, writes, drift, errors prometheus.Counter
	duration                      prometheus.Histogram
	settings                      *prometheus.GaugeVec
	degradations, evict           prometheus.Gauge
	broken                        *prometheus.GaugeVec
	held, valid                   prometheus.Gauge
	share, reserved               *prometheus.GaugeVec
	classRate, classCeil          *prometheus.GaugeVec
	runtime                       prometheus.Gauge
	newcomers                     *prometheus.CounterVec
	standings                     *standings
}

// newMetrics registers the figures of an agent.
func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "daros", Subsystem: "node", Name: name, Help: help})
	}
	opts := func(name, help string) prometheus.GaugeOpts {
		return prometheus.GaugeOpts{Namespace: "daros", Subsystem: "node", Name: name, Help: help}
	}
	m := &metrics{
		standings: newStandings(),
		passes:    counter("passes_total", "Passes of the loop."),
		writes:    counter("writes_total", "Knobs written or restored."),
		drift:     counter("drift_total", "Knobs repaired after others changed them."),
		errors:    counter("pass_errors_total", "Passes of the loop that ended early."),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "daros", Subsystem: "node", Name: "pass_duration_seconds", Help: "Duration of a pass.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 8),
		}),
		settings:     prometheus.NewGaugeVec(opts("settings", "Settings of the plan by state."), []string{"state"}),
		degradations: prometheus.NewGauge(opts("degradations", "Promises that this host keeps in a weaker form.")),
		broken:       prometheus.NewGaugeVec(opts("broken_promises", "Reservations of a resource that workloads have not got for three turns although they could use them."), []string{"resource"}),
		evict:        prometheus.NewGauge(opts("evict_requests", "Workloads that are to end because memory stays short although they give way.")),
		held:         prometheus.NewGauge(opts("held", "Knobs held away from their original value.")),
		valid:        prometheus.NewGauge(opts("plan_valid", "1 if the plan in force is that of the plan file.")),
		share:        prometheus.NewGaugeVec(opts("workload_cpu_share_cores", "Cores a workload gets while all its siblings are busy."), []string{"workload"}),
		reserved:     prometheus.NewGaugeVec(opts("workload_cpu_reserved_cores", "Cores promised to a workload under overload."), []string{"workload"}),
		classRate:    prometheus.NewGaugeVec(opts("network_class_rate_bits", "Bits in a second that a class of the uplink has whatever others send."), []string{"class"}),
		classCeil:    prometheus.NewGaugeVec(opts("network_class_ceiling_bits", "Bits in a second that a class of the uplink has at most."), []string{"class"}),
		runtime:      prometheus.NewGauge(opts("nri_connected", "1 while the container runtime asks the agent what containers are to start with.")),
		newcomers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "daros", Subsystem: "node", Name: "nri_containers_total", Help: "Containers that the runtime asked about, by what came of it.",
		}, []string{"answer"}),
	}
	reg.MustRegister(buildinfo.Read().Metric())
	reg.MustRegister(m.passes, m.writes, m.drift, m.errors, m.duration, m.settings, m.degradations, m.broken, m.evict, m.held, m.valid, m.share, m.reserved, m.classRate, m.classCeil, m.runtime, m.newcomers, m.standings)
	return m
}

// pass records one turn of the loop.
func (m *metrics) pass(started, ended time.Time, a *agent, outcomes []cgroup.Outcome) {
	m.passes.Inc()
	m.duration.Observe(ended.Sub(started).Seconds())
	for _, o := range outcomes {
		if o.State == cgroup.Written || o.State == cgroup.Restored {
			m.writes.Inc()
		}
		if o.Drift && o.State == cgroup.Written {
			m.drift.Inc()
		}
	}
	problem := a.report.Problem
	m.problem.Store(&problem)
	m.lastPass.Store(ended.UnixNano())
	m.held.Set(float64(a.journal.Len()))
	if a.report.Changed.Equal(m.shown) { // which is nearly always
		return
	}
	m.shown = a.report.Changed
	m.settings.Reset()
	for _, o := range a.report.Outcomes {
		m.settings.WithLabelValues(string(o.State)).Inc()
	}
	m.degradations.Set(float64(len(a.report.Degradations)))
	for _, resource := range qos.Reservable() {
		m.broken.WithLabelValues(resource).Set(0)
	}
	for i := range a.report.Broken {
		m.broken.WithLabelValues(a.report.Broken[i].Resource()).Inc()
	}
	m.evict.Set(0)
	if a.report.Evict != nil {
		m.evict.Set(1)
	}
	m.valid.Set(0)
	if a.report.Problem == "" && !a.report.Stale {
		m.valid.Set(1)
	}
	m.share.Reset()
	m.reserved.Reset()
	for _, s := range a.report.Shares {
		m.share.WithLabelValues(s.Workload).Set(float64(s.CPU) / 1000)
		m.reserved.WithLabelValues(s.Workload).Set(float64(s.Reserved) / 1000)
	}
}

// shaped records what is shaped.
func (m *metrics) shaped(outcomes []network.Outcome, u *qos.Uplink) {
	for _, o := range outcomes {
		if o.State == network.Written || o.State == network.Restored {
			m.writes.Inc()
		}
		if o.Drift && o.State == network.Written {
			m.drift.Inc()
		}
	}
	if u == m.uplink {
		return
	}
	m.uplink = u
	m.classRate.Reset()
	m.classCeil.Reset()
	if u != nil {
		for i := range u.Classes {
			m.classRate.WithLabelValues(u.Classes[i].Name).Set(float64(u.Classes[i].Rate))
			m.classCeil.WithLabelValues(u.Classes[i].Name).Set(float64(u.Classes[i].Ceil))
		}
	}
}
