package arbitration

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// checkBudget compares the price of the full level, by the dearest pool that the
// application may be placed in, with its budget per hour.
func checkBudget(a *arbiter, c *claim, spec *model.Application) []finding {
	if spec.Budget == 0 {
		return nil
	}
	var cost int64
	for _, pool := range a.candidates(spec) {
		cost = max(cost, price(c.demand(spec, full), pool.spec.Price))
	}
	return []finding{{
		Constraint: model.Constraint{Name: "budget.costPerHour", Asked: money(cost), Limit: money(spec.Budget),
			OK: cost <= spec.Budget, At: spec.At["budget.costPerHour"]},
		reason:  model.BudgetExceeded,
		message: fmt.Sprintf("costs %s an hour, its budget is %s", money(cost), money(spec.Budget)),
	}}
}

// checkPools asks of every component: does a pool offer what it needs, is one
// replica no larger than a node, are there enough domains to spread over; and of
// the whole: is the minimum no larger than the pool.
func checkPools(a *arbiter, c *claim, spec *model.Application) (found []finding) {
	refuse := func(reason model.Reason, name, asked, limit, at, message string) {
		found = append(found, finding{
			Constraint: model.Constraint{Name: name, Asked: asked, Limit: limit, At: at}, reason: reason, message: message,
		})
	}
	for i := range spec.Components {
		comp := &spec.Components[i]
		if !comp.Runs() {
			continue
		}
		at := spec.At["components."+comp.Name+".placement.pool"]
		pools := a.poolsFor(comp)
		if len(pools) == 0 {
			refuse(model.NoPool, "components."+comp.Name+".runtime", comp.Runtime+"/"+comp.OS, "none", at,
				fmt.Sprintf("component %s needs a pool for %s on %s, and %s", comp.Name, comp.Runtime, comp.OS, noPool(comp)))
			continue
		}
		if over := tooLarge(comp, pools); over != "" {
			largest := largestOf(pools, over)
			refuse(model.NodeTooSmall, "components."+comp.Name+"."+over, model.FormatAmount(over, comp.Requests.Get(over)),
				model.FormatAmount(over, largest), spec.At["components."+comp.Name+".resources.requests."+over],
				fmt.Sprintf("one replica of %s asks for %s %s, the largest node offers %s", comp.Name,
					model.FormatAmount(over, comp.Requests.Get(over)), over, model.FormatAmount(over, largest)))
		}
		if s := comp.Placement.Spread; s != nil && s.Over != "node" && domains(pools) < s.Min {
			refuse(model.TooFewDomains, "components."+comp.Name+".placement.spread", fmt.Sprint(s.Min), fmt.Sprint(domains(pools)), at,
				fmt.Sprintf("component %s spreads over at least %d %ss, its pool has %d", comp.Name, s.Min, s.Over, domains(pools)))
		}
	}
	if found == nil {
		found = checkGang(a, c, spec)
	}
	return found
}

// checkGang compares the minimum of the application with the whole of the pool
// that would take it: more can never be granted.
func checkGang(a *arbiter, c *claim, spec *model.Application) []finding {
	lowest := levels(spec)[len(levels(spec))-1]
	demand := c.demand(spec, lowest)
	var best []finding
	for _, pool := range a.candidates(spec) {
		var found []finding
		fits := true
		for _, name := range demand.Names() {
			asked, limit := demand.Get(name), pool.Capacity.Get(name)
			if asked == 0 {
				continue
			}
			f := finding{
				Constraint: model.Constraint{Name: "pool." + pool.Name + "." + name, Asked: model.FormatAmount(name, asked),
					Limit: model.FormatAmount(name, limit), OK: asked <= limit, At: a.platform.At["pools."+pool.Name]},
				reason: model.PoolTooSmall,
				message: fmt.Sprintf("needs at least %s %s at once, pool %s has %s in all", model.FormatAmount(name, asked), name,
					pool.Name, model.FormatAmount(name, limit)),
			}
			if !f.OK {
				fits, f.Short = false, model.FormatAmount(name, asked-limit)
			}
			found = append(found, f)
		}
		if fits {
			return found
		}
		if best == nil {
			best = found
		}
	}
	return best
}

// checkShare holds the application to its share of a pool.
func checkShare(a *arbiter, c *claim, spec *model.Application) (found []finding) {
	thousandths := int64(spec.Policy.MaxShare)
	if thousandths <= 0 || thousandths >= 1000 {
		return nil
	}
	pools := a.candidates(spec)
	if len(pools) == 0 {
		return nil
	}
	demand := c.demand(spec, full)
	for _, name := range demand.Names() {
		var limit int64
		for _, pool := range pools {
			capacity := pool.Capacity.Get(name)
			limit = max(limit, capacity/1000*thousandths+capacity%1000*thousandths/1000)
		}
		if name == "memory" {
			limit -= limit % (1 << 20) // people read it
		}
		asked := demand.Get(name)
		if asked == 0 {
			continue
		}
		found = append(found, finding{
			Constraint: model.Constraint{Name: "limits.maxShare." + name, Asked: model.FormatAmount(name, asked),
				Limit: model.FormatAmount(name, limit), OK: asked <= limit, At: policyAt(spec, "limits.maxShare")},
			reason: model.ShareExceeded,
			message: fmt.Sprintf("asks for %s %s, policy allows one application at most %s (%s of a pool)",
				model.FormatAmount(name, asked), name, model.FormatAmount(name, limit), percent(thousandths)),
		})
	}
	return found
}

// candidates returns the pools that could take all components that name none,
// or the named ones where every component names one.
func (a *arbiter) candidates(spec *model.Application) (pools []*poolAccount) {
	for _, pool := range a.pools {
		ok, named := true, false
		for i := range spec.Components {
			comp := &spec.Components[i]
			switch {
			case !comp.Runs():
			case comp.Placement.Pool != "":
				named = named || comp.Placement.Pool == pool.Name
			default:
				ok, named = ok && offers(pool.spec, comp), true
			}
		}
		if ok && named {
			pools = append(pools, pool)
		}
	}
	return pools
}

// poolsFor returns the pools that offer what one component needs.
func (a *arbiter) poolsFor(comp *model.Component) (pools []*poolAccount) {
	for _, pool := range a.pools {
		if offers(pool.spec, comp) && (comp.Placement.Pool == "" || comp.Placement.Pool == pool.Name) {
			pools = append(pools, pool)
		}
	}
	return pools
}

func noPool(comp *model.Component) string {
	if comp.Placement.Pool != "" {
		return "pool " + comp.Placement.Pool + " does not offer it"
	}
	return "no pool offers it"
}

// tooLarge names a resource of which one replica needs more than any node has,
// "" if there is none or the nodes are not known.
func tooLarge(comp *model.Component, pools []*poolAccount) string {
	for _, name := range comp.Requests.Names() {
		if largest := largestOf(pools, name); comp.Requests.Get(name) > largest && known(pools) {
			return name
		}
	}
	return ""
}

// known says whether nodes were seen in every pool; declared capacity has none.
func known(pools []*poolAccount) bool {
	for _, p := range pools {
		if p.Largest.IsZero() {
			return false
		}
	}
	return true
}

func largestOf(pools []*poolAccount, resource string) (n int64) {
	for _, p := range pools {
		n = max(n, p.Largest.Get(resource))
	}
	return n
}

func domains(pools []*poolAccount) (n int) {
	for _, p := range pools {
		n = max(n, len(p.Domains))
	}
	return n
}
