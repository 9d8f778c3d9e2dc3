package hostplan

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// What opens every document.
const (
	APIVersion = "d-aros.dev/v1alpha1"
	kindPlan   = "ProcessPlan"
	kindReport = "ProcessReport"
)

// Limits of a document.
const (
	MaxDocument  = 8 << 20 // bytes
	maxWorkloads = 20_000
	maxReplicas  = 10_000 // of one workload on one host
	maxArguments = 1_000
	maxVariables = 1_000
	maxText      = 32 << 10 // bytes of one argument or variable
	maxHosts     = 1_000
)

// Plan is what the hosts of a pool are to run.
type Plan struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Fleet      string `json:"fleet"`
	Pool       string `json:"pool"`

	// Generation grows with each plan of the pool. A host takes none that is older than the
	// one that it keeps.
	Generation int64              `json:"generation"`
	Profiles   []model.QoSProfile `json:"profiles,omitempty"` // besides the built-in ones
	Workloads  []Workload         `json:"workloads"`          // in order, each once
}

// Key names a workload among those of a pool.
type Key = model.PartKey

// Workload is a component, in one version, on the hosts of a pool.
type Workload struct {
	Key
	Digest   model.Digest    `json:"digest"`          // of what is told to run, which reports repeat
	Replicas int             `json:"replicas"`        // that are wanted on all hosts together
	Hosts    []Place         `json:"hosts,omitempty"` // by name; the sum is less where hosts have no room
	Lock     string          `json:"lock,omitempty"`  // of the step that made the job
	Priority int             `json:"priority,omitempty"`
	QoS      string          `json:"qos"` // name of a profile
	Program  Program         `json:"program"`
	Requests model.Resources `json:"requests"` // of one replica
}

// Place is how many replicas one host runs.
type Place struct {
	Host     string `json:"host"`
	Replicas int    `json:"replicas"`
}

// On returns how many replicas a host runs.
func (w *Workload) On(host string) int {
	for _, p := range w.Hosts {
		if p.Host == host {
			return p.Replicas
		}
	}
	return 0
}

// Placed returns how many replicas have a host.
func (w *Workload) Placed() (n int) {
	for _, p := range w.Hosts {
		n += p.Replicas
	}
	return n
}

// Find returns the place of a workload in the plan, or where it would stand.
func (p *Plan) Find(k Key) (int, bool) {
	return slices.BinarySearchFunc(p.Workloads, k, func(w Workload, k Key) int { return w.Key.Compare(k) })
}

// ParsePlan reads a plan. It refuses what it does not know, because that would not be carried
// out, and what no reconciler writes.
func ParsePlan(data []byte) (p Plan, err error) {
	if err = decode(data, kindPlan, &p); err != nil {
		return Plan{}, err
	}
	if p.APIVersion != APIVersion || p.Kind != kindPlan {
		return Plan{}, fmt.Errorf("apiVersion %q, kind %q: this program reads %s %s", p.APIVersion, p.Kind, APIVersion, kindPlan)
	}
	if !model.ValidName(p.Pool) || p.Generation < 1 {
		return Plan{}, fmt.Errorf("pool %q, generation %d: want a name and a number from 1 on", p.Pool, p.Generation)
	}
	if len(p.Workloads) > maxWorkloads {
		return Plan{}, fmt.Errorf("%d workloads: at most %d are read", len(p.Workloads), maxWorkloads)
	}
	for i := range p.Workloads {
		w := &p.Workloads[i]
		if i > 0 && p.Workloads[i-1].Compare(w.Key) >= 0 {
			return Plan{}, fmt.Errorf("workload %s stands twice or out of order", text.Clean(w.String()))
		}
		if err := w.check(); err != nil {
			return Plan{}, fmt.Errorf("workload %s: %w", text.Clean(w.String()), err)
		}
	}
	return p, nil
}

// check refuses a workload that could be mistaken for another one, or that costs too much.
func (w *Workload) check() error {
	if !model.ValidName(w.App.Tenant) || !model.ValidName(w.App.Name) || !model.ValidName(w.Component) || len(w.Job) > 1000 {
		return fmt.Errorf("it is named by no tenant, application and component")
	}
	if w.Replicas < 0 || w.Replicas > maxReplicas || len(w.Hosts) > maxHosts {
		return fmt.Errorf("%d replicas on %d hosts: at most %d on %d", w.Replicas, len(w.Hosts), maxReplicas, maxHosts)
	}
	for _, p := range w.Hosts {
		if p.Replicas < 1 || p.Replicas > maxReplicas {
			return fmt.Errorf("host %s has %d replicas: want 1 to %d", text.Clean(p.Host), p.Replicas, maxReplicas)
		}
	}
	if w.Requests.CPU < 0 || w.Requests.Memory < 0 {
		return fmt.Errorf("it requests less than nothing")
	}
	return w.Program.check()
}

// Encode writes a plan that ParsePlan reads back. Equal plans give equal bytes.
func (p *Plan) Encode() ([]byte, error) {
	p.APIVersion, p.Kind = APIVersion, kindPlan
	if len(p.Workloads) > maxWorkloads {
		return nil, fmt.Errorf("%d workloads: a pool of hosts has room for %d", len(p.Workloads), maxWorkloads)
	}
	return encode(p)
}
