//go:build linux

package nodeagent

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/d-aros/d-aros/pkg/qos"
)

// standings show what workloads use and wait for when somebody asks: a turn only leaves them.
type standings struct {
	latest         atomic.Pointer[[]qos.Standing]
	cpu, memory    *prometheus.Desc
	kept, pressure *prometheus.Desc
}

func newStandings() *standings {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("daros_node_workload_"+name, help, append([]string{"workload"}, labels...), nil)
	}
	return &standings{
		cpu:      desc("cpu_used_cores", "Cores that a workload used between the last two turns."),
		memory:   desc("memory_used_bytes", "Bytes of memory that a workload has."),
		kept:     desc("memory_protected_bytes", "Bytes of its reservation of memory that a workload has whatever others do."),
		pressure: desc("pressure_ratio", "Part of the last ten seconds in which some thread of a workload waited for a resource.", "resource"),
	}
}

// Describe implements prometheus.Collector.
func (s *standings) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.cpu, s.memory, s.kept, s.pressure} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (s *standings) Collect(to chan<- prometheus.Metric) {
	latest := s.latest.Load()
	if latest == nil {
		return
	}
	for _, w := range *latest {
		gauge := func(d *prometheus.Desc, value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, append([]string{w.Workload}, labels...)...)
		}
		if w.Promised.Memory > 0 {
			gauge(s.kept, float64(w.Effective.Memory))
		}
		if w.Used != nil {
			gauge(s.cpu, float64(w.Used.CPU)/1000)
			gauge(s.memory, float64(w.Used.Memory))
		}
		if p := w.Pressure; p != nil {
			gauge(s.pressure, float64(p.CPU)/10_000, "cpu")
			gauge(s.pressure, float64(p.Memory)/10_000, "memory")
			gauge(s.pressure, float64(p.IO)/10_000, "io")
		}
	}
}
