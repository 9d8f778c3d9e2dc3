package qos

import "github.com/d-aros/d-aros/pkg/model"

// APIVersion and Kind open every plan document.
const (
	APIVersion = "d-aros.dev/v1alpha1"
	Kind       = "NodePlan"
)

// Plan lists the workloads of a node and the promises to each.
type Plan struct {
	Source     string          // commit that the plan was made from, "" if unknown
	Ledger     string          // that the plan follows from, "" if nobody counts
	Generation int64           // of the plans that follow from it, 0 if nobody counts
	System     model.Resources // kept for the host itself, never promised to workloads
	Omitted    int             // workloads for which the document had no room
	Workloads  []Workload      // in the order of the document, which breaks ties
}

// Workload is a promise and what it is for: one cgroup, or what a selector finds on a
// node. [Place] turns selectors into cgroups.
// Invariant: Reserved <= Request <= Limit wherever a limit is set.
type Workload struct {
	Name     string
	Cgroup   string   // relative to the cgroup root, clean; "" where a selector stands
	Selector Selector // nil where a cgroup stands
	Source   string   // commit that declares the promise, "" if unknown
	Profile  model.QoSProfile
	Priority int
	Hold     bool // its settings are compared and shown, but left to others
	Request  model.Resources
	Limit    model.Resources // zero: none
	Reserved model.Resources // kept even under overload
}
