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
	waiting, outcomes     map[model.Reason]int
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
	f.tenants[name] = &tenantFigures{phases: map[model.Phase]int{}, waiting: map[model.Reason]int{}, outcomes: map[model.Reason]int{}}
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
		for j := range inst.Outcomes {
			t.outcomes[inst.Outcomes[j].Reason] += max(inst.Outcomes[j].Objects, 1)
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
		t.ready = t.ready.Add(c.Grant.Requests.Times(readyOf(inst, c)))
	}
}

// readyOf is how much of a component is ready, of both its versions: as the runtimes
// showed it or, where no record says that, all of it if its state says so.
func readyOf(inst *model.Instance, c *model.ComponentState) (ready int) {
	shown := false
	if inst.Shown != nil {
		for i := range inst.Shown.Components {
			if s := &inst.Shown.Components[i]; s.Component == c.Grant.Component {
				shown, ready = true, ready+s.Ready
			}
		}
	}
	if !shown && c.State == model.StateReady {
		return c.Run
	}
	return ready
}
