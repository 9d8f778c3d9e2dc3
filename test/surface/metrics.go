package surface

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Registry is a prometheus.Registerer that records which metrics a program has, also those without a value yet.
type Registry struct{ entries []string }

var described = regexp.MustCompile(`fqName: "([^"]*)".*variableLabels: \{([^}]*)\}`)

// Register implements prometheus.Registerer.
func (r *Registry) Register(c prometheus.Collector) error {
	kind := ""
	switch c.(type) {
	case *prometheus.GaugeVec:
		kind = "gauge"
	case *prometheus.CounterVec:
		kind = "counter"
	case *prometheus.HistogramVec:
		kind = "histogram"
	case prometheus.Gauge: // a gauge has all methods of a counter
		kind = "gauge"
	case prometheus.Counter:
		kind = "counter"
	case prometheus.Histogram:
		kind = "histogram"
	default: // a collector of our own: all of them have gauges only
		kind = "gauge"
	}
	descriptions := make(chan *prometheus.Desc, 64)
	c.Describe(descriptions)
	close(descriptions)
	for d := range descriptions {
		m := described.FindStringSubmatch(d.String())
		if m == nil {
			return fmt.Errorf("cannot read the description %s", d)
		}
		r.entries = append(r.entries, fmt.Sprintf("%s%s%s{%s}", m[1], Gap, kind, strings.Join(strings.Split(m[2], ","), ", ")))
	}
	return nil
}

// MustRegister implements prometheus.Registerer.
func (r *Registry) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := r.Register(c); err != nil {
			panic(err)
		}
	}
}

// Unregister implements prometheus.Registerer.
func (r *Registry) Unregister(prometheus.Collector) bool { return false }

// Entries returns an entry for each metric: "daros_passes_total  counter{result}".
func (r *Registry) Entries() []string { return r.entries }
