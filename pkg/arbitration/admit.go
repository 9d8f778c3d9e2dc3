package arbitration

import "github.com/d-aros/d-aros/pkg/model"

// admit judges an application that holds no place: gate, then levels.
func (a *arbiter) admit(c *claim) {
	if c.incumbent() {
		return
	}
	if c.wanted == nil {
		c.verdict, c.reason, c.message = model.Rejected, unusableReason(c.unusable), c.unusable.Message
		return
	}
	c.spec = c.wanted
	constraints, refusal := a.gate(c, c.spec)
	c.constraints = constraints
	if refusal != nil {
		c.verdict, c.reason, c.message = model.Rejected, refusal.Reason, refusal.Message
		return
	}
	a.account(c, c.spec)
	for _, l := range levels(c.spec) {
		grants, short := a.place(c, c.spec, l, nil)
		if grants == nil {
			c.short = short
			continue
		}
		c.verdict, c.reason, c.grants, c.level = model.Granted, model.Fits, grants, l
		if l != full {
			c.reason = model.CapacityShort
		}
		a.take(c, c.spec, grants)
		return
	}
	c.verdict, c.reason = model.Waiting, model.CapacityShort
	for _, s := range c.short {
		c.constraints = append(c.constraints, model.Constraint{
			Name: "free." + s.pool.Name + "." + s.name, Asked: model.FormatAmount(s.name, s.asked),
			Used:  model.FormatAmount(s.name, s.pool.used.Get(s.name)),
			Limit: model.FormatAmount(s.name, s.pool.Capacity.Get(s.name)),
			Short: model.FormatAmount(s.name, s.asked-max(0, s.free)), At: a.platform.At["pools."+s.pool.Name],
		})
	}
}

// account counts a spec against its tenant: what it declares in full, so that
// quota does not move with capacity.
func (a *arbiter) account(c *claim, spec *model.Application) { a.count(c, spec, 1) }

func (a *arbiter) unaccount(c *claim, spec *model.Application) { a.count(c, spec, -1) }

func (a *arbiter) count(c *claim, spec *model.Application, sign int) {
	t := a.tenant(c.app.Tenant)
	t.applications += sign
	t.workloads += sign * workloads(spec)
	if demand := c.demand(spec, full); sign > 0 {
		t.used = t.used.Add(demand)
	} else {
		t.used = t.used.Sub(demand)
	}
}

// tenant returns the account of a tenant. One that is no longer declared has no
// limits; what is left of it is on its way out.
func (a *arbiter) tenant(name string) *tenantAccount {
	t := a.tenants[name]
	if t == nil {
		t = &tenantAccount{Tenant: &model.Tenant{Name: name}}
		a.tenants[name] = t
	}
	return t
}

// workloads counts the components that run.
func workloads(spec *model.Application) int {
	n := 0
	for i := range spec.Components {
		if spec.Components[i].Runs() {
			n++
		}
	}
	return n
}
