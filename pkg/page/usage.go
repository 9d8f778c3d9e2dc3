package page

import "github.com/d-aros/d-aros/pkg/model"

// Usage is the capacity that applications hold together.
type Usage struct {
	Granted      model.Resources
	Applications int // that have not ended
	Running      int
	Workloads    int
}

// UsageByTenant adds up the capacity that the applications of each tenant hold. All pages
// of a save share the result, so that it costs one pass over the ledger.
func UsageByTenant(l *model.Ledger) map[string]Usage {
	all := map[string]Usage{}
	for i := range l.Instances {
		in := &l.Instances[i]
		u := all[in.App.Tenant]
		u.Add(in)
		all[in.App.Tenant] = u
	}
	return all
}

// Add adds an instance.
func (u *Usage) Add(in *model.Instance) {
	if in.Phase != model.PhaseTerminated {
		u.Applications++
	}
	if in.Phase == model.PhaseRunning {
		u.Running++
	}
	if !in.Phase.Active() {
		return
	}
	for _, c := range in.Components {
		if c.Grant.Replicas > 0 {
			u.Workloads++
			u.Granted = u.Granted.Add(c.Takes())
		}
	}
}
