package advice

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
)

// points are the amounts at which something may begin to fit: what is free, what is left of quota, guarantee and fair
// share, and what others would give up.
type points struct {
	*search
	levels    []solve.Level // of the spec in Git
	failed    []solve.Finding
	lacks     [][]solve.Shortage // by place that it could run in, the preferred first
	resources []int              // that are short, the first first
	asks      []int              // the same, and then what else it asks for

	amounts map[int][]int64 // by resource, see totals
}

// points finds what is short for the application.
func (s *search) points() *points {
	p := &points{search: s, levels: s.LevelsOf(s.app, s.app.Wanted, nil), lacks: s.Lacks(s.app), amounts: map[int][]int64{}}
	p.failed = slices.DeleteFunc(slices.Clone(s.app.Findings), func(f solve.Finding) bool { return f.OK })
	add := func(r int) {
		if r >= 0 && !slices.Contains(p.resources, r) {
			p.resources = append(p.resources, r)
		}
	}
	for i := range p.failed {
		if r, ok := s.Index[p.failed[i].Resource]; ok {
			add(r)
		}
	}
	if len(p.failed) == 0 {
		for _, short := range p.first() {
			add(short.Resource)
		}
	}
	p.asks = slices.Clone(p.resources)
	for r := range s.Names {
		if i, _ := p.largest(r); i >= 0 && !slices.Contains(p.asks, r) {
			p.asks = append(p.asks, r)
		}
	}
	return p
}

// first is what is short in the preferred place.
func (p *points) first() []solve.Shortage {
	if len(p.lacks) == 0 {
		return nil
	}
	return p.lacks[0]
}

// largest returns the component that asks for most of a resource, and what one replica of it asks for; -1: none does.
func (p *points) largest(r int) (best int, one int64) {
	best = -1
	for i := range p.app.Wanted.Components {
		comp := &p.app.Wanted.Components[i]
		if n := p.one(i, r) * int64(comp.Replicas); comp.Runs() && n > 0 && (best < 0 || n > one) {
			best, one = i, n
		}
	}
	if best >= 0 {
		one = p.one(best, r)
	}
	return best, one
}

// one is what one replica of a component asks for.
func (p *points) one(i, r int) int64 {
	return p.Of(p.app.Asks(p.app.Wanted, &p.app.Wanted.Components[i]))[r]
}

// left is what a component may take of a resource at a level in all, each amount once.
func (p *points) left(i, r, l int) (amounts []int64) {
	comp, level := &p.app.Wanted.Components[i], &p.levels[l]
	replicas, _ := solve.ReplicasAt(comp, level.Cut)
	rest := level.Total[r] - p.one(i, r)*int64(replicas)
	for _, total := range p.totals(r) {
		if total > rest {
			amounts = append(amounts, total-rest)
		}
	}
	return amounts
}

// each lists what one replica of a component might ask for.
func (p *points) each(i, r int) (amounts []int64) {
	one := p.one(i, r)
	for l := range p.levels {
		replicas, _ := solve.ReplicasAt(&p.app.Wanted.Components[i], p.levels[l].Cut)
		if replicas == 0 {
			continue
		}
		for _, n := range p.left(i, r, l) {
			amounts = append(amounts, n/int64(replicas))
		}
	}
	for _, f := range p.failed {
		if p.Index[f.Resource] == r && f.Limit < one { // of one replica
			amounts = append(amounts, f.Limit)
		}
	}
	return append(amounts, one/10+1, ceil(one, 10))
}

// replicas lists by how many replicas less a component might run.
func (p *points) replicas(i int) (fewer []int64) {
	all := int64(p.app.Wanted.Components[i].Replicas)
	if all <= most {
		for n := int64(1); n < all; n++ {
			fewer = append(fewer, n)
		}
		return fewer
	}
	for _, r := range p.resources {
		if one := p.one(i, r); one > 0 {
			for l := range p.levels {
				for _, n := range p.left(i, r, l) {
					fewer = append(fewer, all-n/one)
				}
			}
		}
	}
	return append(fewer, all-1)
}

// minimum lists by how many replicas less a component might run at the least.
func (p *points) minimum(i int) (fewer []int64) {
	least := int64(p.app.Wanted.Components[i].MinReplicas())
	for n := int64(1); n < least && n <= most; n++ {
		fewer = append(fewer, n)
	}
	return append(fewer, least-1)
}

// totals lists how much of a resource the application might take in all.
func (p *points) totals(r int) (amounts []int64) {
	if known, ok := p.amounts[r]; ok {
		return known
	}
	n := p.Nodes[p.app.Tenant]
	share := n.FairShare.Of(p.Total[r])
	var guaranteed, inShare int64 // of the tenant, by others of it
	for _, o := range p.Members[p.app.Tenant] {
		if o == p.app || o.Standing == nil {
			continue
		}
		for l := range o.Levels {
			switch amount := solve.Part(o.Levels, l)[r]; o.Standing[l].Class {
			case solve.WithinGuarantee:
				guaranteed += amount
				inShare += amount
			case solve.WithinFairShare:
				inShare += amount
			}
		}
	}
	slack := p.Total[r] / 1000
	for _, own := range []int64{0, guaranteed, inShare, n.Used[r]} {
		amounts = append(amounts, share-own, share-own+slack, share-own-slack, n.Floor[r]-own)
	}
	for _, f := range p.failed {
		if p.Index[f.Resource] == r {
			amounts = append(amounts, f.Limit-f.Used)
		}
	}
	for _, place := range p.lacks {
		for _, s := range place {
			if s.Resource == r {
				amounts = append(amounts, s.Free)
			}
		}
	}
	for _, at := range p.pools() {
		amounts = append(amounts, p.given(at, r)...)
	}
	slices.Sort(amounts)
	p.amounts[r] = slices.Compact(amounts)
	return p.amounts[r]
}

// pools lists the pools that the application could run in.
func (p *points) pools() (list []int) {
	for i := range p.app.Wanted.Components {
		if at, ok := p.PoolAt[p.app.Wanted.Components[i].Placement.Pool]; ok && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	for _, at := range p.Choices(p.app, p.app.Wanted) {
		if !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

// victims bounds how many who might give way are looked at.
const victims = 12

// given is what is free in a pool, and what is when others give way: each alone, and more and more of them, those that
// stand worst first.
func (p *points) given(at, r int) (amounts []int64) {
	free := p.Pools[at].Free(p.app, r) + solve.HeldOf(p.app.Taken, at, r)
	amounts = append(amounts, free)
	for _, own := range []bool{true, false} {
		sum := free
		for _, v := range p.holders(at, own) {
			held := solve.HeldOf(v.Taken, at, r)
			sum += held
			amounts = append(amounts, sum, free+held)
		}
	}
	return amounts
}

// holders lists who of a tenant, or of the others, holds something of a pool, worst standing first.
func (p *points) holders(at int, own bool) (list []*solve.App) {
	if !own && solve.Preemption(&p.Fleet.Platform.Policy) < solve.Reclaim {
		return nil
	}
	key := holdersOf{at, own, p.app.Tenant}
	if !own {
		key.tenant = 0
	}
	if list, ok := p.held[key]; ok {
		return list
	}
	from := p.Running
	if own {
		from = p.Members[p.app.Tenant]
	}
	worst := func(x, y *solve.App) int {
		return cmp.Or(y.Worst(y.Level).Compare(x.Worst(x.Level)), x.ID.Compare(y.ID))
	}
	for _, v := range from {
		if !v.Granted() || v.Standing == nil || !solve.HoldsOf(v.Taken, at) || len(list) == victims && worst(v, list[victims-1]) > 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(list, v, worst)
		list = slices.Insert(list, i, v)
		list = list[:min(len(list), victims)]
	}
	p.held[key] = list
	return list
}

// holdersOf names a list of holders.
type holdersOf struct {
	pool   int
	own    bool
	tenant int
}

// smallest sorts amounts of a change from 1 to a limit, the smallest first, each once.
func smallest(amounts []int64, limit int64) []int64 {
	amounts = slices.DeleteFunc(amounts, func(n int64) bool { return n < 1 || n > limit })
	slices.Sort(amounts)
	return slices.Compact(amounts)
}
