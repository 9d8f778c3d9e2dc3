package arbitration

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// shortage is what a pool lacks for an application.
type shortage struct {
	pool  *poolAccount
	name  string // resource
	asked int64
	free  int64
}

// place finds pools for a spec at a level and returns the grants with pools
// filled in. It counts nothing. When it finds none, it returns what the first
// choice lacks. What the application holds of a pool it may always keep: held is
// that, and no longer booked.
//
// Components that name no pool are placed together, in a pool that offers their
// runtimes and systems; which one is up to the strategy in force. A component
// that holds a place stays in its pool.
func (a *arbiter) place(c *claim, spec *model.Application, l level, held map[*poolAccount]model.Resources) ([]model.Grant, []shortage) {
	grants := grantsAt(spec, l)
	var best []shortage
	for _, choice := range a.choices(c, spec) {
		for i := range grants {
			comp := &spec.Components[i]
			if !comp.Runs() {
				continue
			}
			pool := a.fixedPool(c, comp)
			if pool == nil {
				pool = choice
			}
			grants[i].Pool = pool.Name
		}
		short := a.lacking(a.use(c, spec, grants), held)
		if len(short) == 0 {
			return grants, nil
		}
		if best == nil {
			best = short
		}
	}
	return nil, best
}

// lacking compares what would be taken with what is free or held anyway.
func (a *arbiter) lacking(taken, held map[*poolAccount]model.Resources) (short []shortage) {
	for _, pool := range a.pools {
		free := pool.free()
		for _, name := range taken[pool].Exceeds(free) {
			if asked := taken[pool].Get(name); asked > held[pool].Get(name) {
				short = append(short, shortage{pool, name, asked, free.Get(name)})
			}
		}
	}
	return short
}

// use sums what grants take of each pool, leaving out what is done.
func (a *arbiter) use(c *claim, spec *model.Application, grants []model.Grant) map[*poolAccount]model.Resources {
	taken := map[*poolAccount]model.Resources{}
	for _, g := range grants {
		if pool := a.pool(g.Pool); pool != nil && !c.done(spec, g.Component) {
			taken[pool] = taken[pool].Add(g.Requests.Times(g.Replicas))
		}
	}
	return taken
}

// fixedPool returns the pool that a component names or already runs in.
func (a *arbiter) fixedPool(c *claim, comp *model.Component) *poolAccount {
	if comp.Placement.Pool != "" {
		return a.pool(comp.Placement.Pool)
	}
	if g, ok := c.holdsGrant(comp.Name); ok && g.Pool != "" {
		if pool := a.pool(g.Pool); pool != nil && offers(pool.spec, comp) {
			return pool
		}
	}
	return nil
}

// choices returns the pools that offer what every component without a pool of
// its own needs, in the order that the strategy prefers. The gate has seen to it
// that there is at least one.
func (a *arbiter) choices(c *claim, spec *model.Application) []*poolAccount {
	var fit []*poolAccount
	for _, pool := range a.pools {
		ok := true
		for i := range spec.Components {
			comp := &spec.Components[i]
			ok = ok && (!comp.Runs() || a.fixedPool(c, comp) != nil || offers(pool.spec, comp))
		}
		if ok {
			fit = append(fit, pool)
		}
	}
	if prefer := strategies[spec.Policy.Strategy]; prefer != nil {
		slices.SortStableFunc(fit, prefer)
	}
	return fit
}

// strategies order pools by preference. Pools that are alike keep the order of
// their names.
var strategies = map[string]func(x, y *poolAccount) int{
	"spread":     func(x, y *poolAccount) int { return compareUse(x, y) },
	"sla-aware":  func(x, y *poolAccount) int { return compareUse(x, y) },
	"bin-pack":   func(x, y *poolAccount) int { return compareUse(y, x) },
	"cost-aware": func(x, y *poolAccount) int { return cmp.Compare(x.spec.Price.CPU, y.spec.Price.CPU) },
}

// compareUse compares pools by the share of their CPU that is granted, exactly.
func compareUse(x, y *poolAccount) int {
	xh, xl := bits.Mul64(uint64(max(x.used.CPU, 0)), uint64(max(y.Capacity.CPU, 0)))
	yh, yl := bits.Mul64(uint64(max(y.used.CPU, 0)), uint64(max(x.Capacity.CPU, 0)))
	return cmp.Or(cmp.Compare(xh, yh), cmp.Compare(xl, yl))
}

// offers says whether a pool has the runtime and system that a component needs.
func offers(spec *model.PoolSpec, comp *model.Component) bool {
	return slices.Contains(spec.Runtimes, comp.Runtime) && slices.Contains(spec.OS, comp.OS)
}

// take books grants.
func (a *arbiter) take(c *claim, spec *model.Application, grants []model.Grant) {
	for pool, amount := range a.use(c, spec, grants) {
		pool.used = pool.used.Add(amount)
	}
}

// giveBack takes grants out of the books and returns what they held.
func (a *arbiter) giveBack(c *claim, spec *model.Application, grants []model.Grant) map[*poolAccount]model.Resources {
	held := a.use(c, spec, grants)
	for pool, amount := range held {
		pool.used = pool.used.Sub(amount)
	}
	return held
}
