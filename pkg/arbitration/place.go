package arbitration

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// shortage is what a pool, or the limits of a tenant or group, lack for an
// application.
type shortage struct {
	pool     int // -1: a limit of the node
	node     int
	resource int
	asked    int64
	free     int64
}

// boundTo returns the pool that a component names or already runs in, -1 if
// there is none.
func (p *problem) boundTo(c *claim, comp *model.Component) int {
	if comp.Placement.Pool != "" {
		if at, ok := p.poolAt[comp.Placement.Pool]; ok {
			return at
		}
		return -1
	}
	for i := range c.holds {
		if g := &c.holds[i]; g.Component == comp.Name && g.Pool != "" {
			if at, ok := p.poolAt[g.Pool]; ok && offers(p.pools[at].spec, comp) {
				return at
			}
		}
	}
	return -1
}

// offers says whether a pool has the runtime and system that a component needs.
func offers(spec *model.PoolSpec, comp *model.Component) bool {
	return slices.Contains(spec.Runtimes, comp.Runtime) && slices.Contains(spec.OS, comp.OS)
}

// choices returns the pools that offer what every component without a pool of
// its own needs, by name.
func (p *problem) choices(c *claim, spec *model.Application) []int {
	fit := make([]int, 0, len(p.pools))
	for at := range p.pools {
		ok := true
		for i := range spec.Components {
			comp := &spec.Components[i]
			ok = ok && (!comp.Runs() || p.boundTo(c, comp) >= 0 || offers(p.pools[at].spec, comp))
		}
		if ok {
			fit = append(fit, at)
		}
	}
	return fit
}

// preferred returns the choices that budget and share cap allow, in the order in
// which the strategy in force prefers them. Pools that are alike keep the order
// of their names.
func (p *problem) preferred(c *claim, spec *model.Application, full *rung) []int {
	if full.loose == nil {
		return []int{-1}
	}
	fit := p.choices(c, spec)
	fit = slices.DeleteFunc(fit, func(at int) bool {
		if spec.Budget > 0 && p.cost(full.loads(at)) > spec.Budget {
			return true
		}
		// Without a cap, it may be more than the pool in full, and its minimum not.
		return capped(spec) && p.shareTaken(spec, full.loads(at)) > whole
	})
	if s, ok := strategies[spec.Policy.Strategy]; ok && len(fit) > 1 {
		slices.SortStableFunc(fit, func(x, y int) int { return s.Compare(spec, p.view(x), p.view(y)) })
	}
	return fit
}

// fit looks whether a rung fits in free capacity with its loose components in
// the given pool, and returns what it would take, or what is short. What the
// claim held before (kept) it may always keep.
func (p *problem) fit(c *claim, r *rung, at int, kept []load) (loads []load, short []shortage) {
	loads = r.loads(at)
	for _, l := range loads {
		q := &p.pools[l.pool]
		for i, asked := range l.amount {
			if asked == 0 {
				continue
			}
			if free := q.free(c, i); asked > free && asked > heldOf(kept, l.pool, i) {
				short = append(short, shortage{pool: l.pool, resource: i, asked: asked, free: free})
			}
		}
	}
	for _, s := range r.spreads {
		pool := s.pool
		if pool < 0 {
			pool = at
		}
		if n := len(p.pools[pool].roomy(s.one, true)); n < s.min && heldOf(kept, pool, 0) == 0 {
			short = append(short, shortage{pool: pool, resource: -1, asked: int64(s.min), free: int64(n)})
		}
	}
	if len(short) == 0 && p.limited {
		short = p.limits(c.tenant, r.total, p.sum(kept))
	}
	if len(short) > 0 {
		return nil, short
	}
	return loads, nil
}

func heldOf(loads []load, pool, r int) int64 {
	for i := range loads {
		if loads[i].pool == pool {
			return loads[i].amount[r]
		}
	}
	return 0
}

func (p *problem) sum(loads []load) vector {
	v := p.zero()
	for _, l := range loads {
		v.add(l.amount)
	}
	return v
}

// settle grants a rung: it is booked and written down.
func (p *problem) settle(c *claim, spec *model.Application, ladder []rung, level, at int, loads []load) {
	p.take(c, loads)
	p.touch(c)
	c.spec, c.ladder, c.rung, c.pool = spec, ladder, level, at
	c.grants = ladder[level].grants(spec)
	for i := range c.grants {
		comp := &spec.Components[i]
		if !comp.Runs() {
			continue
		}
		pool := p.boundTo(c, comp)
		if pool < 0 {
			pool = at
		}
		if pool >= 0 {
			c.grants[i].Pool = p.pools[pool].Name
			c.grants[i].Domains = p.spread(c, comp, &c.grants[i], &p.pools[pool])
		}
	}
	c.verdict, c.reason, c.short, c.position = model.Granted, model.Fits, nil, 0
	if level > 0 {
		c.reason = model.CapacityShort
	}
}

// cost is what loads cost per hour, in millionths of the currency.
func (p *problem) cost(loads []load) int64 {
	var sum int64
	for _, l := range loads {
		price := p.pools[l.pool].spec.Price
		sum += priceOf(l.amount[0], price.CPU, 1000) + priceOf(l.amount[1], price.Memory, 1<<30)
	}
	return sum
}

// priceOf is n times a price that is for so many of it.
func priceOf(n, price, per int64) int64 {
	if price == 0 || n == 0 {
		return 0
	}
	if n < 1<<31 && price < 1<<31 {
		return n * price / per
	}
	sum := new(big.Int).Mul(big.NewInt(n), big.NewInt(price))
	if sum.Quo(sum, big.NewInt(per)); sum.IsInt64() {
		return min(sum.Int64(), most)
	}
	return most
}

// domain counts what the placement hints put into a topology domain of a pool.
type domain struct {
	name     string
	nodes    int
	capacity vector
	used     vector
}

// roomy lists the domains in which there is room for an amount, by name: beside
// what is booked there, or at all.
func (q *pool) roomy(one vector, booked bool) (names []string) {
	for i := range q.domains {
		d := &q.domains[i]
		free := true
		for r, n := range one {
			used := int64(0)
			if booked {
				used = d.used[r]
			}
			free = free && (n == 0 || used+n <= d.capacity[r])
		}
		if free || d.nodes == 0 { // without nodes, its capacity is not known
			names = append(names, d.name)
		}
	}
	return names
}

// spread picks the domains for a component that asks to be spread: as many as it
// asks for or has replicas, those with most room for a replica first.
func (p *problem) spread(c *claim, comp *model.Component, g *model.Grant, q *pool) []string {
	s := comp.Placement.Spread
	if s == nil || s.Over == "node" || g.Replicas == 0 {
		return nil
	}
	for i := range c.holds { // what runs stays where it is
		if h := &c.holds[i]; h.Component == comp.Name && h.Pool == q.Name && len(h.Domains) >= s.Min {
			return h.Domains
		}
	}
	one := p.of(comp.Requests)
	names := q.roomy(one, true)
	free := func(name string) int64 {
		for i := range q.domains {
			if q.domains[i].name == name {
				return q.domains[i].capacity[0] - q.domains[i].used[0]
			}
		}
		return 0
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(free(y), free(x)) })
	names = names[:min(len(names), max(s.Min, min(g.Replicas, len(names))))]
	slices.Sort(names)
	p.occupy(q, names, one, g.Replicas+g.Surge)
	return names
}

// occupy counts replicas into domains, evenly.
func (p *problem) occupy(q *pool, names []string, one vector, replicas int) {
	for n, name := range names {
		each := replicas / len(names)
		if n < replicas%len(names) {
			each++
		}
		for i := range q.domains {
			if q.domains[i].name == name {
				q.domains[i].used.addTimes(one, each)
			}
		}
	}
}
