package arbitration

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// checkPools asks of every component: does a pool offer what it needs, is one
// replica no larger than a node, are there enough domains to spread over; and of
// the whole: is the least that it can run no larger than the pool.
func checkPools(p *problem, c *claim, spec *model.Application, ladder []rung) (found []finding) {
	for i := range spec.Components {
		comp := &spec.Components[i]
		if !comp.Runs() {
			continue
		}
		at := spec.At["components."+comp.Name+".placement.pool"]
		if !p.offered(comp, func(int) bool { return true }) {
			found = append(found, finding{name: "components." + comp.Name + ".runtime", at: at, reason: model.NoPool,
				text: [3]string{comp.Runtime + "/" + comp.OS, "none", fmt.Sprintf("component %s needs a pool for %s on %s, and %s", comp.Name, comp.Runtime, comp.OS, noPool(comp))}})
			continue
		}
		one := p.of(comp.Requests)
		for r, asked := range one {
			if asked == 0 || p.offered(comp, func(q int) bool { return p.pools[q].largest == nil || asked <= p.pools[q].largest[r] }) {
				continue
			}
			var largest int64
			p.offered(comp, func(q int) bool { largest = max(largest, p.pools[q].largest[r]); return false })
			name := p.names[r]
			f := finding{name: "components." + comp.Name + "." + name, resource: name, asked: asked, limit: largest,
				at: spec.At["components."+comp.Name+".resources.requests."+name], reason: model.NodeTooSmall}
			f.text[2] = fmt.Sprintf("one replica of %s asks for %s %s, the largest node offers %s", comp.Name,
				model.FormatAmount(name, asked), name, model.FormatAmount(name, largest))
			found = append(found, f)
		}
		if s := comp.Placement.Spread; s != nil && s.Over != "node" {
			most := 0
			if p.offered(comp, func(q int) bool {
				n := len(p.pools[q].roomy(one, false))
				most = max(most, n)
				return n >= s.Min
			}) {
				continue
			}
			found = append(found, finding{name: "components." + comp.Name + ".placement.spread", at: at, reason: model.TooFewDomains,
				text: [3]string{fmt.Sprint(s.Min), fmt.Sprint(most), fmt.Sprintf("component %s spreads over at least %d %ss, its pool has %d that a replica fits in", comp.Name, s.Min, s.Over, most)}})
		}
	}
	if found == nil {
		found = checkGang(p, c, spec, ladder)
	}
	return found
}

// checkGang compares the least that the application can run with the whole of
// the pools that would take it: more can never be granted.
func checkGang(p *problem, c *claim, spec *model.Application, ladder []rung) (found []finding) {
	least := &ladder[len(ladder)-1]
	look := func(at int, asked vector) (found []finding, fits bool) {
		q := &p.pools[at]
		fits = true
		for r, n := range asked {
			if n == 0 {
				continue
			}
			name := p.names[r]
			f := finding{name: "pool." + q.Name + "." + name, resource: name, asked: n, limit: q.capacity[r], ok: n <= q.capacity[r],
				at: p.platform.At["pools."+q.Name], reason: model.PoolTooSmall}
			if !f.ok {
				fits = false
				f.text[2] = fmt.Sprintf("needs at least %s %s at once, pool %s has %s in all", model.FormatAmount(name, n), name,
					q.Name, model.FormatAmount(name, q.capacity[r]))
			}
			found = append(found, f)
		}
		return found, fits
	}
	for _, l := range least.bound {
		f, _ := look(l.pool, l.amount)
		found = append(found, f...)
	}
	if least.loose == nil {
		return found
	}
	var first []finding
	for _, at := range p.choices(c, spec) {
		f, fits := look(at, least.loose)
		if fits {
			return append(found, f...)
		}
		if first == nil {
			first = f
		}
	}
	if first == nil && found == nil {
		return []finding{{name: "pools", reason: model.NoPool,
			text: [3]string{"one for all", "none", "no pool offers what all its components need together; name pools with placement.pool"}}}
	}
	return append(found, first...)
}

// checkBudget compares the price of the full level in the cheapest pool that
// could take it with the budget per hour.
func checkBudget(p *problem, c *claim, spec *model.Application, ladder []rung) []finding {
	if spec.Budget == 0 {
		return nil
	}
	cost := int64(-1)
	for _, at := range p.choices(c, spec) {
		if n := p.cost(ladder[0].loads(at)); cost < 0 || n < cost {
			cost = n
		}
	}
	if ladder[0].loose == nil {
		cost = p.cost(ladder[0].bound)
	}
	f := finding{name: "budget.costPerHour", asked: cost, limit: spec.Budget, ok: cost <= spec.Budget, at: spec.At["budget.costPerHour"], reason: model.BudgetExceeded,
		text: [3]string{money(max(cost, 0)), money(spec.Budget)}}
	if !f.ok {
		f.text[2] = fmt.Sprintf("costs %s an hour, its budget is %s", money(cost), money(spec.Budget))
	}
	return []finding{f}
}

// checkShare holds the application to its share of a pool, in the largest that
// could take it.
func checkShare(p *problem, c *claim, spec *model.Application, ladder []rung) (found []finding) {
	if !capped(spec) {
		return nil
	}
	look := func(at int, asked vector) {
		for r, n := range asked {
			limit := p.shareLimit(at, r, spec)
			if n == 0 {
				continue
			}
			name := p.names[r]
			f := finding{name: "limits.maxShare." + name, resource: name, asked: n, limit: limit, ok: n <= limit,
				at: policyAt(spec, "limits.maxShare"), reason: model.ShareExceeded}
			if !f.ok {
				f.text[2] = fmt.Sprintf("asks for %s %s, policy allows one application at most %s (%s of a pool)",
					model.FormatAmount(name, n), name, model.FormatAmount(name, limit), percent(int64(spec.Policy.MaxShare)))
			}
			found = append(found, f)
		}
	}
	at := -1
	if ladder[0].loose != nil {
		at = p.roomiest(c, spec, &ladder[0])
	}
	for _, l := range ladder[0].loads(at) {
		look(l.pool, l.amount)
	}
	return found
}

// roomiest returns the pool for the loose components in which the share that an
// application may take of each pool is exceeded least, -1 if no pool could take
// them.
func (p *problem) roomiest(c *claim, spec *model.Application, full *rung) int {
	best, excess := -1, share(0)
	for _, at := range p.choices(c, spec) {
		if s := p.shareTaken(spec, full.loads(at)); best < 0 || s < excess {
			best, excess = at, s
		}
	}
	return best
}

// shareTaken is the largest part that loads take of what an application may take
// of a pool.
func (p *problem) shareTaken(spec *model.Application, loads []load) (most share) {
	for _, l := range loads {
		for r, n := range l.amount {
			if n > 0 {
				most = max(most, part(n, p.shareLimit(l.pool, r, spec)))
			}
		}
	}
	return most
}

// capped says whether policy limits the share of a pool that an application takes.
func capped(spec *model.Application) bool {
	return spec.Policy.MaxShare > 0 && spec.Policy.MaxShare < 1000
}

// shareLimit is how much of a resource of a pool one application may take.
func (p *problem) shareLimit(at, r int, spec *model.Application) int64 {
	thousandths, capacity := int64(spec.Policy.MaxShare), p.pools[at].capacity[r]
	if !capped(spec) {
		return capacity
	}
	limit := capacity/1000*thousandths + capacity%1000*thousandths/1000
	if r == 1 {
		limit -= limit % (1 << 20) // people read it
	}
	return limit
}

func noPool(comp *model.Component) string {
	if comp.Placement.Pool != "" {
		return "pool " + comp.Placement.Pool + " does not offer it"
	}
	return "no pool offers it"
}

// offered says whether a pool that offers what one component needs is good.
func (p *problem) offered(comp *model.Component, good func(int) bool) bool {
	for i := range p.pools {
		if offers(p.pools[i].spec, comp) && (comp.Placement.Pool == "" || comp.Placement.Pool == p.pools[i].Name) && good(i) {
			return true
		}
	}
	return false
}
