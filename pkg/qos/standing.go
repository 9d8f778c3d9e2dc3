package qos

import "github.com/d-aros/d-aros/pkg/model"

// Standing is how a workload stands on its node: what is promised to it, what it has of that
// while everybody else is busy, and what it uses and waits for.
type Standing struct {
	Workload  string    `json:"workload"`
	Promised  Amounts   `json:"promised"`
	Effective Amounts   `json:"effective"`
	Used      *Used     `json:"used,omitempty"`     // nil: not measured
	Pressure  *Pressure `json:"pressure,omitempty"` // nil: the kernel does not tell
}

// Amounts are what is reserved for a workload, or kept of that.
type Amounts struct {
	CPU     int64 `json:"cpu,omitempty"`     // milli-CPU
	Memory  int64 `json:"memory,omitempty"`  // bytes
	Network int64 `json:"network,omitempty"` // bits in a second
	Disk    int64 `json:"disk,omitempty"`    // bytes in a second, on each disk
}

// Pressure is in which part of the last ten seconds some thread of a workload waited, in
// hundredths of a percent.
type Pressure struct {
	CPU    int64 `json:"cpu"`
	Memory int64 `json:"memory"`
	IO     int64 `json:"io"`
}

// Standings returns how the workloads of a plan stand, in its order, before anything is
// measured. notInForce reports whether a group lacks its value of a file, or of an ancestor's.
func Standings(plan Plan, e Enforcement, notInForce func(cgroup, file string) bool) []Standing {
	shares := map[string]int64{}
	for _, s := range e.Shares {
		shares[s.Workload] = s.CPU
	}
	kept := map[string]Amounts{}
	for i := range plan.Workloads {
		kept[plan.Workloads[i].Name] = amountsOf(plan.Workloads[i].Reserved)
	}
	for i := range e.Degradations {
		d := &e.Degradations[i]
		if a, known := kept[d.Workload]; known {
			kept[d.Workload] = a.without(d)
		}
	}
	all := make([]Standing, len(plan.Workloads))
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		s := Standing{Workload: w.Name, Promised: amountsOf(w.Reserved), Effective: kept[w.Name]}
		s.Effective.CPU = shares[w.Name]
		for _, group := range append(ancestors(w.Cgroup), w.Cgroup) {
			if notInForce(group, "cpu.weight") || notInForce(group, "cpu.shares") {
				s.Effective.CPU = 0
			}
			if notInForce(group, "memory.min") {
				s.Effective.Memory = 0
			}
		}
		all[i] = s
	}
	return all
}

func amountsOf(r model.Resources) Amounts {
	return Amounts{r.CPU, r.Memory, r.Get(model.NetworkResource), r.Get(model.DiskResource)}
}

// without returns what is left of reservations where a degradation reduces them.
func (a Amounts) without(d *Degradation) Amounts {
	of := map[string]*int64{"cpu": &a.CPU, "memory": &a.Memory, model.NetworkResource: &a.Network, model.DiskResource: &a.Disk}
	for _, s := range d.ReducedBy() {
		*of[s.Resource] = min(*of[s.Resource], s.Kept)
	}
	return a
}

// What two measurements differ by before anybody is told: less is noise.
const (
	noticedCPU      = 50       // milli-CPU
	noticedMemory   = 16 << 20 // bytes
	noticedPressure = 500      // hundredths of a percent
)

// Like reports whether two standings of a workload hardly differ in what was measured.
func (s *Standing) Like(o *Standing) bool {
	if (s.Used == nil) != (o.Used == nil) || (s.Pressure == nil) != (o.Pressure == nil) {
		return false
	}
	if s.Used != nil && !(near(s.Used.CPU, o.Used.CPU, noticedCPU) && near(s.Used.Memory, o.Used.Memory, noticedMemory)) {
		return false
	}
	return s.Pressure == nil || near(s.Pressure.CPU, o.Pressure.CPU, noticedPressure) &&
		near(s.Pressure.Memory, o.Pressure.Memory, noticedPressure) && near(s.Pressure.IO, o.Pressure.IO, noticedPressure)
}

// near reports whether two amounts differ by no more than one, or than a tenth of the first.
func near(a, b, amount int64) bool { return max(a-b, b-a) <= max(amount, a/10) }
