package model

// Usage is the capacity that applications hold together.
type Usage struct {
	Granted      Resources
	Applications int // that have not ended
	Running      int
	Workloads    int
}

// UsageByTenant adds up the capacity that the applications of each tenant hold. All pages
// of a save share the result, so that it costs one pass over the ledger.
func UsageByTenant(l *Ledger) map[string]Usage {
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
func (u *Usage) Add(in *Instance) {
	if in.Phase != PhaseTerminated {
		u.Applications++
	}
	if in.Phase == PhaseRunning {
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
