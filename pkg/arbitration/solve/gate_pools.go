package solve

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// checkPools checks every component: a pool offers what it needs, one replica is no
// larger than a node, and there are enough domains to spread over. If so, it checks
// the minimum of the application against the pools.
func checkPools(g gate, app *App, spec *model.Application, levels []Level) (found []Finding) {
	for i := range spec.Components {
		comp := spec.Components[i].Placed(app.Holds, app.flavour)
		if !comp.Runs() {
			continue
		}
		at, offering, none := placedAt(spec, comp), g.Offering(comp), "no pool offers it"
		pools := offering
		if name := comp.Placement.Pool; name != "" {
			none = "pool " + name + " does not offer it"
			pools = slices.DeleteFunc(slices.Clone(offering), func(q int) bool { return g.Pools[q].Name != name })
		}
		if len(pools) == 0 {
			found = append(found, Finding{Name: "components." + comp.Name + ".runtime", At: at, Reason: model.ReasonNoPool,
				Text: [3]string{comp.Runtime + "/" + comp.OS, "none", fmt.Sprintf("component %s needs a pool for %s on %s, and %s", comp.Name, comp.Runtime, comp.OS, none)}})
			continue
		}
		one := g.Of(app.Asks(spec, comp))
		for r, asked := range one {
			if asked == 0 || slices.ContainsFunc(pools, func(q int) bool { return g.Pools[q].largest == nil || asked <= g.Pools[q].largest[r] }) {
				continue
			}
			name, largest := g.Names[r], int64(0)
			for _, q := range pools {
				largest = max(largest, g.Pools[q].largest[r])
			}
			f := Finding{Name: "components." + comp.Name + "." + name, Resource: name, Asked: asked, Limit: largest,
				At: spec.At["components."+comp.Name+".resources.requests."+name], Reason: model.ReasonNodeTooSmall}
			n := model.FormatAmounts(name, asked, largest)
			f.Text[2] = fmt.Sprintf("one replica of %s asks for %s %s, the largest node offers %s", comp.Name, n[0], name, n[1]) + g.unshared(r, offering)
			found = append(found, f)
		}
		if s := comp.Placement.Spread; s != nil && s.Over != "node" {
			most := 0
			for _, q := range pools {
				most = max(most, len(g.Pools[q].roomy(one, false)))
			}
			if most >= s.Min {
				continue
			}
			found = append(found, Finding{Name: "components." + comp.Name + ".placement.spread", At: at, Reason: model.ReasonTooFewDomains,
				Text: [3]string{fmt.Sprint(s.Min), fmt.Sprint(most), fmt.Sprintf("component %s spreads over at least %d %ss, its pool has %d that a replica fits in", comp.Name, s.Min, s.Over, most)}})
		}
	}
	if found == nil {
		found = checkGang(g, app, spec, levels)
	}
	return found
}

// checkGang compares the minimum of the application with the whole of the pools
// that would take it: more can never be granted.
func checkGang(g gate, app *App, spec *model.Application, levels []Level) (found []Finding) {
	least := &levels[len(levels)-1]
	look := func(at int, asked Vector) (found []Finding, fits bool) {
		q := g.Pools[at]
		fits = true
		for r, n := range asked {
			if n == 0 {
				continue
			}
			name := g.Names[r]
			f := Finding{Name: "pool." + q.Name + "." + name, Resource: name, Asked: n, Limit: q.Offered[r], OK: n <= q.Offered[r],
				At: g.platform.At["pools."+q.Name], Reason: model.ReasonPoolTooSmall}
			if !f.OK {
				fits = false
				amounts := model.FormatAmounts(name, n, q.Offered[r])
				f.Text[2] = fmt.Sprintf("needs at least %s %s at once, pool %s has %s in all", amounts[0], name, q.Name, amounts[1]) + g.unshared(r, []int{at})
			}
			found = append(found, f)
		}
		return found, fits
	}
	for _, l := range least.Bound {
		f, _ := look(l.Pool, l.Amount)
		found = append(found, f...)
	}
	if least.Loose == nil {
		return found
	}
	var first []Finding
	for _, at := range g.Choices(app, spec) {
		f, fits := look(at, least.Loose)
		if fits {
			return append(found, f...)
		}
		if first == nil {
			first = f
		}
	}
	if first == nil && found == nil {
		return []Finding{{Name: "pools", Reason: model.ReasonNoPool,
			Text: [3]string{"one for all", "none", "no pool offers what all its components need together; name pools with placement.pool"}}}
	}
	return append(found, first...)
}

// checkBudget compares the price of the full level in the cheapest pool that
// could take it with the budget per hour.
func checkBudget(g gate, app *App, spec *model.Application, levels []Level) []Finding {
	if spec.Budget == 0 {
		return nil
	}
	cost := int64(-1)
	for _, at := range g.Choices(app, spec) {
		if n := g.cost(levels[0].loads(at)); cost < 0 || n < cost {
			cost = n
		}
	}
	if levels[0].Loose == nil {
		cost = g.cost(levels[0].Bound)
	}
	f := Finding{Name: "budget.costPerHour", Asked: cost, Limit: spec.Budget, OK: cost <= spec.Budget, At: spec.At["budget.costPerHour"], Reason: model.ReasonBudgetExceeded,
		Text: [3]string{Money(max(cost, 0)), Money(spec.Budget)}}
	if !f.OK {
		f.Text[2] = fmt.Sprintf("costs %s an hour, its budget is %s", Money(cost), Money(spec.Budget))
	}
	return []Finding{f}
}

// checkShare holds the application to its share of a pool, in the largest that
// could take it.
func checkShare(g gate, app *App, spec *model.Application, levels []Level) (found []Finding) {
	if !capped(spec) {
		return nil
	}
	at := -1
	if levels[0].Loose != nil {
		at = g.roomiest(app, spec, &levels[0])
	}
	for _, l := range levels[0].loads(at) {
		for r, n := range l.Amount {
			limit := g.shareLimit(l.Pool, r, spec)
			if n == 0 {
				continue
			}
			name := g.Names[r]
			f := Finding{Name: "limits.maxShare." + name, Resource: name, Asked: n, Limit: limit, OK: n <= limit,
				At: policyAt(spec, "limits.maxShare"), Reason: model.ReasonShareExceeded}
			if !f.OK {
				amounts := model.FormatAmounts(name, n, limit)
				f.Text[2] = fmt.Sprintf("asks for %s %s, policy allows one application at most %s (%s of a pool)",
					amounts[0], name, amounts[1], Percent(int64(spec.Policy.MaxShare)))
			}
			found = append(found, f)
		}
	}
	return found
}

// placedAt is where the pool of a component is written.
func placedAt(spec *model.Application, comp *model.Component) string {
	path := "components." + comp.Name + ".placement."
	for n := range comp.Placement.Flavours {
		if comp.Placement.Flavours[n].Pool == comp.Placement.Pool {
			return spec.At[fmt.Sprintf("%sflavours.%d.pool", path, n)]
		}
	}
	return spec.At[path+"pool"]
}

// unshared says that pools have a device whole of which shares are asked for, "" if they do not: D-AROS counts what nodes
// offer, and shares are made by their device plugin.
func (g gate) unshared(resource int, pools []int) string {
	device, share := model.SharedDevice(g.Names[resource])
	r, known := g.Index[device]
	if !share || !known {
		return ""
	}
	var whole int64
	for _, at := range pools {
		whole += g.Pools[at].Offered[r]
	}
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d %s whole, which its device plugin does not share", whole, device)
}
