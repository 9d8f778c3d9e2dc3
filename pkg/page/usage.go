package page

import "github.com/d-aros/d-aros/pkg/model"

// Usage is the capacity that the applications of a tenant hold.
type Usage struct {
	granted       model.Resources
	apps, running int
	workloads     int
}

// UsageByTenant adds up the capacity that the applications of each tenant hold. All pages
// of a save share the result, so that it costs one pass over the ledger.
func UsageByTenant(l *model.Ledger) map[string]Usage {
	all := map[string]Usage{}
	for i := range l.Instances {
		in := &l.Instances[i]
		u := all[in.App.Tenant]
		if in.Phase != model.PhaseTerminated {
			u.apps++
		}
		if in.Phase == model.PhaseRunning {
			u.running++
		}
		if in.Phase.Active() {
			for _, c := range in.Components {
				if c.Grant.Replicas > 0 {
					u.workloads++
					u.granted = u.granted.Add(c.Takes())
				}
			}
		}
		all[in.App.Tenant] = u
	}
	return all
}
