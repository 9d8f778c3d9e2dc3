package qos

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Enforcement is the result of a plan on one host.
type Enforcement struct {
	Settings     []Setting     `json:"settings"`         // by cgroup, outermost first, then by file
	Degradations []Degradation `json:"degradations"`     // by workload, then by promise
	Shares       []Share       `json:"shares"`           // by workload
	Uplink       *Uplink       `json:"uplink,omitempty"` // nil: nothing that is sent is shaped
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
func Resolve(plan Plan, host Host) Enforcement { return resolve(State{Plan: plan, Host: host}) }

func resolve(s State) Enforcement {
	r := decision{State: s}
	r.admit()
	r.out.Settings = make([]Setting, 0, 4*len(s.Plan.Workloads))
	for _, c := range controllers {
		c.decide(&r)
	}
	held := map[string]bool{}
	for i := range s.Plan.Workloads {
		held[s.Plan.Workloads[i].Name] = s.Plan.Workloads[i].Hold
	}
	for i := range r.out.Settings {
		if set := &r.out.Settings[i]; held[set.Workload] && set.Workload != "" {
			set.Hold = HeldByPlan
		}
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
