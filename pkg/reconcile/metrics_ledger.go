package reconcile

import (
	"reflect"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/d-aros/d-aros/pkg/model"
)

// ledgerMetrics are about what the last saved ledger says of tenants, pools and
// applications. Its figures are added up when the ledger or the capacity changed, and
// replaced as a whole, so nobody reads half of an old ledger and half of a new one.
type ledgerMetrics struct {
	quota, granted, ready *prometheus.Desc // by tenant and resource
	phases                *prometheus.Desc // by tenant and phase
	waiting, outcomes     *prometheus.Desc // by tenant and reason
	capacity, used        *prometheus.Desc // by pool and resource
	application           *prometheus.Desc // nil: no metric for each application

	from   model.Revision // of the ledger that values were made of
	pools  []model.Pool
	values atomic.Pointer[[]prometheus.Metric]
}

func newLedgerMetrics(reg prometheus.Registerer, applications bool) *ledgerMetrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	const unit = ", in cores, bytes or devices."
	m := &ledgerMetrics{
		quota:    desc("daros_tenant_quota", "The most that a tenant may be granted"+unit+" A tenant without a quota has no value.", "tenant", "resource"),
		granted:  desc("daros_tenant_granted", "What the applications of a tenant are granted"+unit, "tenant", "resource"),
		ready:    desc("daros_tenant_ready", "What the ready replicas of a tenant are granted"+unit, "tenant", "resource"),
		phases:   desc("daros_tenant_applications", "Applications of a tenant by phase.", "tenant", "phase"),
		waiting:  desc("daros_waiting", "Declared applications that do not run, by tenant and by the reason of the decision.", "tenant", "reason"),
		outcomes: desc("daros_outcomes", "Objects of a tenant that the cluster refuses, components whose images it cannot get, and nodes that do not keep a promise, by reason.", "tenant", "reason"),
		capacity: desc("daros_pool_capacity", "What a pool offers"+unit, "pool", "resource"),
		used:     desc("daros_pool_granted", "What a pool has granted to applications"+unit, "pool", "resource"),
	}
	if applications {
		m.application = desc("daros_application_phase", "1 for the phase that an application is in.", "tenant", "application", "phase")
	}
	if reg != nil {
		reg.MustRegister(m)
	}
	return m
}

// Describe implements prometheus.Collector.
func (m *ledgerMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.quota, m.granted, m.ready, m.phases, m.waiting, m.outcomes, m.capacity, m.used, m.application} {
		if d != nil {
			to <- d
		}
	}
}

// Collect implements prometheus.Collector.
func (m *ledgerMetrics) Collect(to chan<- prometheus.Metric) {
	if values := m.values.Load(); values != nil {
		for _, v := range *values {
			to <- v
		}
	}
}

// observe adds up a ledger and the capacity that was seen, if either changed.
func (m *ledgerMetrics) observe(ledger *model.Ledger, pools []model.Pool) {
	if ledger.Revision.Is(m.from) && reflect.DeepEqual(m.pools, pools) {
		return
	}
	m.from, m.pools = ledger.Revision, pools
	made := figures{tenants: map[string]*tenantFigures{}, pools: map[string]model.Resources{}}
	made.add(ledger)
	values := m.metrics(&made, ledger, pools)
	m.values.Store(&values)
}

// metrics writes figures as metrics.
func (m *ledgerMetrics) metrics(f *figures, ledger *model.Ledger, pools []model.Pool) (values []prometheus.Metric) {
	add := func(d *prometheus.Desc, value float64, labels ...string) {
		values = append(values, prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...))
	}
	amounts := func(d *prometheus.Desc, of string, r model.Resources) {
		for _, name := range r.Names() {
			add(d, amount(name, r.Get(name)), of, name)
		}
	}
	for name, t := range f.tenants {
		if t.bounded {
			amounts(m.quota, name, t.quota)
		}
		amounts(m.granted, name, t.granted)
		amounts(m.ready, name, t.ready)
		for _, phase := range model.Phases {
			add(m.phases, float64(t.phases[phase]), name, string(phase))
		}
		for reason, n := range t.waiting {
			add(m.waiting, float64(n), name, string(reason))
		}
		for reason, n := range t.outcomes {
			add(m.outcomes, float64(n), name, string(reason))
		}
	}
	for i := range pools {
		amounts(m.capacity, pools[i].Name, pools[i].Capacity)
		amounts(m.used, pools[i].Name, f.pools[pools[i].Name])
	}
	if m.application != nil {
		for i := range ledger.Instances {
			inst := &ledger.Instances[i]
			add(m.application, 1, inst.App.Tenant, inst.App.Name, string(inst.Phase))
		}
	}
	return values
}

// amount is an amount of a resource in the unit of metrics: cores, bytes or devices.
func amount(resource string, n int64) float64 {
	if resource == "cpu" {
		return float64(n) / 1000
	}
	return float64(n)
}
