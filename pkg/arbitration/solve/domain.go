package solve

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// domain counts what the placement hints put into a topology domain of a pool.
type domain struct {
	name     string
	nodes    int
	capacity Vector
	used     Vector // by what is spread, as far as hints say
	taken    Vector // by gangs that stand in it
	gone     bool   // no node of it is left, and a gang stands in it
}

// roomy lists, by name, the domains with room for an amount: beside what is booked
// there, or in all.
func (q *Pool) roomy(one Vector, booked bool) (names []string) {
	for _, d := range q.domains {
		free := one.all(func(r int, n int64) bool {
			if booked {
				n += d.used[r] + d.taken[r]
			}
			return n <= d.capacity[r]
		})
		if (free || d.nodes == 0) && !d.gone { // without nodes, its capacity is not known
			names = append(names, d.name)
		}
	}
	return names
}

// spread picks domains for a component that asks to be spread: as many as it asks
// for or has replicas, those with most room first.
func (q *Pool) spread(app *App, comp *model.Component, one Vector, g *model.Grant) []string {
	s := comp.Placement.Spread
	if s == nil || s.Over == "node" || g.Replicas == 0 {
		return nil
	}
	if h := model.Get(app.Holds, comp.Name); h.Pool == q.Name && len(h.Domains) >= s.Min {
		return h.Domains // what runs stays where it is
	}
	names := q.roomy(one, true)
	free := func(name string) int64 {
		return q.domain(name).capacity[0] - q.domain(name).used[0] - q.domain(name).taken[0]
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(free(y), free(x)) })
	names = names[:min(len(names), max(s.Min, min(g.Replicas, len(names))))]
	slices.Sort(names)
	q.occupy(names, one, g.Replicas+g.Surge)
	return names
}

// occupy books replicas in domains, evenly.
func (q *Pool) occupy(names []string, one Vector, replicas int) {
	for n, name := range names {
		each := replicas / len(names)
		if n < replicas%len(names) {
			each++
		}
		for _, d := range q.domains {
			if d.name == name {
				d.used.addTimes(one, each)
			}
		}
	}
}

// RecountDomains recounts what running applications take of topology domains.
func (c *Case) RecountDomains() {
	for _, q := range c.Pools {
		for _, d := range q.domains {
			clear(d.used)
		}
		if len(q.domains) == 0 {
			continue
		}
		for _, app := range c.Running {
			for k := range app.Grants {
				if g := &app.Grants[k]; g.Pool == q.Name && len(g.Domains) > 0 {
					c.hint(app, g)
				}
			}
		}
	}
}

// InDomains calls f with what the placement hints put into each topology domain of the pool, by name.
func (q *Pool) InDomains(f func(name string, taken Vector)) {
	for _, d := range q.domains {
		if !d.gone || !d.taken.isNothing() {
			all := slices.Clone(d.used)
			all.Add(d.taken)
			f(d.name, all)
		}
	}
}
