package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// figures are the sums over a ledger that metrics show.
type figures struct {
	tenants map[string]*tenantFigures
	pools   map[string]model.Resources // granted
}

// tenantFigures are the sums of one tenant, or of all tenants beyond maxTenants.
type tenantFigures struct {
	bounded               bool // by a quota
	quota, granted, ready model.Resources
	phases                map[model.Phase]int
	waiting               map[model.Reason]int
}

// maxTenants bounds the tenants that have a label of their own; others are "other".
const maxTenants = 200

// tenant returns the sums that a tenant counts towards.
func (f *figures) tenant(name string) *tenantFigures {
	if t, ok := f.tenants[name]; ok {
		return t
	}
	if name != "other" && len(f.tenants) >= maxTenants {
		return f.tenant("other")
	}
	f.tenants[name] = &tenantFigures{phases: map[model.Phase]int{}, waiting: map[model.Reason]int{}}
	return f.tenants[name]
}

// add adds up a ledger.
func (f *figures) add(ledger *model.Ledger) {
	for i := range ledger.Tenants {
		if t := f.tenant(ledger.Tenants[i].Name); ledger.Tenants[i].Quota != nil {
			t.bounded, t.quota = true, t.quota.Add(*ledger.Tenants[i].Quota)
		}
	}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		t := f.tenant(inst.App.Tenant)
		t.phases[inst.Phase]++
		if inst.Phase.Active() {
			f.addGrants(t, inst)
		}
	}
	for i := range ledger.Decisions {
		if d := &ledger.Decisions[i]; d.Verdict == model.VerdictWaiting || d.Verdict == model.VerdictRejected {
			if inst, ok := ledger.Find(d.App); ok && !inst.Phase.Active() && inst.Phase != model.PhaseTerminated {
				f.tenant(d.App.Tenant).waiting[d.Reason]++
			}
		}
	}
}

func (f *figures) addGrants(t *tenantFigures, inst *model.Instance) {
	for i := range inst.Components {
		c := &inst.Components[i]
		takes := c.Takes()
		t.granted = t.granted.Add(takes)
		f.pools[c.Grant.Pool] = f.pools[c.Grant.Pool].Add(takes)
		if c.State == model.StateReady {
			t.ready = t.ready.Add(c.Grant.Requests.Times(c.Run))
		}
	}
}
