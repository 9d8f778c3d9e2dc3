package qos

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Enforcement is the result of a plan on one host.
type Enforcement struct {
	Settings     []Setting     `json:"settings"`     // by cgroup, outermost first, then by file
	Degradations []Degradation `json:"degradations"` // by workload, then by promise
	Shares       []Share       `json:"shares"`       // by workload
}

// Degradation is a promise that this host keeps in a weaker form or not at all.
type Degradation struct {
	Workload string `json:"workload,omitempty"` // "" for all
	Promise  string `json:"promise"`            // of the profile: memory.min
	Instead  string `json:"instead"`            // the knob used in its place: none, or a weaker one
	Reason   string `json:"reason"`

	// Reserved is what of a reservation is not kept whole, and Kept how much of that is. Zero
	// where no reservation is concerned.
	Reserved model.Resources `json:"reserved,omitzero"`
	Kept     model.Resources `json:"kept,omitzero"`
}

// Share is the CPU that a workload gets while every sibling at every level is busy.
type Share struct {
	Workload string `json:"workload"`
	CPU      int64  `json:"cpu"`      // milli-CPU
	Reserved int64  `json:"reserved"` // milli-CPU, after admission
}

// Resolve decides every setting that the plan needs on the host. Equal
// arguments give equal results, whatever the order of the workloads, as long as
// admission does not have to choose between equals.
func Resolve(plan Plan, host Host) Enforcement {
	r := resolver{host: host, plan: plan}
	r.admit()
	r.memory()
	r.cpu()
	r.io()
	if len(r.plan.Workloads) > 0 {
		r.degrade("", "network.share", "none", "the agent does not shape network traffic")
	}
	slices.SortFunc(r.out.Settings, func(a, b Setting) int {
		return cmp.Or(cmp.Compare(depth(a.Cgroup), depth(b.Cgroup)), cmp.Compare(a.Cgroup, b.Cgroup), cmp.Compare(a.File, b.File))
	})
	slices.SortFunc(r.out.Degradations, func(a, b Degradation) int {
		return cmp.Or(cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Promise, b.Promise), cmp.Compare(a.Instead, b.Instead))
	})
	slices.SortFunc(r.out.Shares, func(a, b Share) int { return cmp.Compare(a.Workload, b.Workload) })
	return r.out
}

type resolver struct {
	host Host
	plan Plan // after admission
	out  Enforcement
}

func (r *resolver) set(w, cgroup, file, value string) {
	r.out.Settings = append(r.out.Settings, Setting{Cgroup: cgroup, File: file, Value: value, Workload: w, Floor: w == ""})
}

func (r *resolver) degrade(w, promise, instead, reason string) {
	r.reduce(w, promise, instead, reason, model.Resources{}, model.Resources{})
}

// reduce is degrade where only a part of a reservation is kept.
func (r *resolver) reduce(w, promise, instead, reason string, reserved, kept model.Resources) {
	r.out.Degradations = append(r.out.Degradations, Degradation{w, promise, instead, reason, reserved, kept})
}
