package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// roomiest returns the pool for the loose components in which the share that an
// application may take is exceeded least, -1 if no pool could take them.
func (p *PoolSet) roomiest(app *App, spec *model.Application, full *Level) int {
	best, excess := -1, Share(0)
	for _, at := range p.Choices(app, spec) {
		if s := p.shareTaken(spec, full.loads(at)); best < 0 || s < excess {
			best, excess = at, s
		}
	}
	return best
}

// shareTaken is the largest part that loads take of what an application may take
// of a pool.
func (p *PoolSet) shareTaken(spec *model.Application, loads []Load) (most Share) {
	for _, l := range loads {
		for r, n := range l.Amount {
			if n > 0 {
				most = max(most, part(n, p.shareLimit(l.Pool, r, spec)))
			}
		}
	}
	return most
}

// shareLimit is how much of a resource of a pool one application may take.
func (p *PoolSet) shareLimit(at, r int, spec *model.Application) int64 {
	thousandths, capacity := int64(spec.Policy.MaxShare), p.Pools[at].Offered[r]
	if !capped(spec) {
		return capacity
	}
	limit := capacity/1000*thousandths + capacity%1000*thousandths/1000
	if r == 1 {
		limit -= limit % (1 << 20) // people read it
	}
	return limit
}

// capped reports whether policy limits the share of a pool that an application
// takes.
func capped(spec *model.Application) bool {
	return spec.Policy.MaxShare > 0 && spec.Policy.MaxShare < 1000
}

// boundTo returns the pool that a component of a spec names or already runs in, -1 if there
// is none. One that stands together runs where one of these does.
func (p *PoolSet) boundTo(app *App, spec *model.Application, comp *model.Component) int {
	if comp = comp.Placed(app.Holds, app.flavour); comp.Placement.Pool != "" {
		if at, ok := p.PoolAt[comp.Placement.Pool]; ok {
			return at
		}
		return -1
	}
	g, ok := model.Find(app.Holds, comp.Name)
	if !ok && comp.Gathers() {
		g, ok = heldTogether(app.Holds, spec)
	}
	if ok {
		if at, known := p.PoolAt[g.Pool]; known && offers(p.Pools[at].spec, comp) {
			return at
		}
	}
	return -1
}

// Choices returns the pools, by name, that offer what every component without a
// pool of its own needs.
func (p *PoolSet) Choices(app *App, spec *model.Application) []int {
	fit := make([]int, 0, len(p.Pools))
	for at := range p.Pools {
		ok := true
		for i := range spec.Components {
			comp := &spec.Components[i]
			ok = ok && (!comp.Runs() || p.boundTo(app, spec, comp) >= 0 || offers(p.Pools[at].spec, comp))
		}
		if ok {
			fit = append(fit, at)
		}
	}
	return fit
}

// cost is what loads cost per hour, in millionths of the currency.
func (p *PoolSet) cost(loads []Load) int64 {
	var sum int64
	for _, l := range loads {
		price := p.Pools[l.Pool].spec.Price
		sum += priceOf(l.Amount[0], price.CPU, 1000) + priceOf(l.Amount[1], price.Memory, 1<<30)
	}
	return sum
}

// Preferred returns the choices that budget and share cap allow, in the order that
// the strategy in force prefers. Pools that are alike keep the order of their
// names.
func (p *PoolSet) Preferred(app *App, spec *model.Application, full *Level) []int {
	if full.Loose == nil {
		return []int{-1}
	}
	fit := p.Choices(app, spec)
	fit = slices.DeleteFunc(fit, func(at int) bool {
		if spec.Budget > 0 && p.cost(full.loads(at)) > spec.Budget {
			return true
		}
		// Without a cap, it may be more than the pool in full, and its minimum not.
		return capped(spec) && p.shareTaken(spec, full.loads(at)) > Whole
	})
	if s, ok := strategies[spec.Policy.Strategy]; ok && len(fit) > 1 {
		slices.SortStableFunc(fit, func(x, y int) int { return s(spec, p.Pools[x], p.Pools[y]) })
	}
	return fit
}

// offers reports whether a pool has the runtime and operating system that a
// component needs, and domains where it stands together with others.
func offers(spec *model.PoolSpec, comp *model.Component) bool {
	return (spec.TopologyKey != "" || !comp.Gathers()) && slices.Contains(spec.Runtimes, comp.Runtime) && slices.Contains(spec.OS, comp.OS)
}

// priceOf is the cost of n at a price that is for per of it, at most most.
func priceOf(n, price, per int64) int64 {
	return int64(min(mulDiv(Share(max(n, 0)), Share(max(price, 0)), Share(per)), Share(most)))
}
