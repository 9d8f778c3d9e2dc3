package solve

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// gang is what of an application is to stand in one domain of its pool, at one level.
type gang struct {
	pool     int // -1: that of the loose components
	amount   Vector
	over     string // what a domain is called
	required bool
	members  []string // names of its components
}

// gather adds a component to the gang of a level. All members are in one pool.
func (r *Level) gather(comp *model.Component, pool int, amount Vector) {
	if r.gang == nil {
		r.gang = &gang{pool: pool, amount: make(Vector, len(amount)), over: comp.Placement.Together.Over, required: comp.Placement.Together.Mode != model.TogetherPreferred}
	}
	if r.gang.pool == pool {
		r.gang.amount.Add(amount)
		r.gang.members = append(r.gang.members, comp.Name)
	}
}

// Gathers reports whether something of the level is to stand together.
func (r *Level) Gathers() bool { return r.gang != nil }

// in returns the pool of the gang where loose components are in the given one.
func (g *gang) in(at int) int {
	if g.pool < 0 {
		return at
	}
	return g.pool
}

// heldTogether is what one of the components of a spec that stand together holds.
func heldTogether(holds []model.Grant, spec *model.Application) (*model.Grant, bool) {
	for i := range spec.Components {
		if comp := &spec.Components[i]; comp.Gathers() {
			if g, ok := model.Find(holds, comp.Name); ok {
				return g, true
			}
		}
	}
	return nil, false
}

// held are the domains in which the gang stands already, and whether it runs in the pool.
func (g *gang) held(app *App, pool string) (domains []string, runs bool) {
	for _, name := range g.members {
		if h, ok := model.Find(app.Holds, name); ok && h.Pool == pool {
			if runs = true; len(h.Domains) > 0 {
				return h.Domains, true
			}
		}
	}
	return nil, runs
}

// place finds the domain for a gang: the one in which it stands, else that in which least is left beside it, by name
// where that is alike. It returns loads that are in it, or what each domain lacks. A gang that only prefers one domain always has
// a place: it stays where it stands, and where no domain has room it is in none.
func (g *gang) place(pools []*Pool, app *App, at int, loads, kept []Load) ([]Load, []Shortage) {
	pool := g.in(at)
	q := pools[pool]
	held, runs := g.held(app, q.Name)
	in := app.inside
	switch {
	case g.amount.isNothing() && len(held) != 1:
		return loads, nil
	case len(held) == 1:
		in = held[0]
	case runs && !g.required:
		return loads, nil
	}
	if in == "" {
		if in = q.tightest(app, g.amount); in == "" && g.required {
			return loads, []Shortage{q.lacking(pool, app, g)}
		}
	} else if g.required {
		if short := q.lacksIn(pool, in, app, g, kept); short != nil {
			return loads, short
		}
	}
	if in == "" {
		return loads, nil
	}
	return standIn(slices.Clone(loads), pool, in, g.amount), nil
}

// lacksIn is what one domain lacks for a gang. What the gang held there it may keep.
func (q *Pool) lacksIn(pool int, name string, app *App, g *gang, kept []Load) (short []Shortage) {
	d := q.domain(name)
	for r, asked := range g.amount {
		if free := q.freeIn(d, app, r); asked > free && asked > insideOf(kept, pool, name, r) {
			short = append(short, Shortage{Pool: pool, Resource: r, Asked: asked, Free: free, Gang: &GangShort{Over: g.over, In: name}})
		}
	}
	return short
}

// standIn puts an amount of what is taken of a pool into a domain.
func standIn(loads []Load, pool int, name string, amount Vector) []Load {
	for i := range loads {
		l := &loads[i]
		if l.Pool != pool {
			continue
		}
		inside := slices.Clone(amount)
		if l.In != "" {
			inside.Add(l.Inside)
		}
		l.In, l.Inside = name, inside
	}
	return loads
}

// insideOf is how much loads take of a resource of a domain of a pool.
func insideOf(loads []Load, pool int, name string, r int) int64 {
	for i := range loads {
		if l := &loads[i]; l.Pool == pool && l.In == name && name != "" {
			return l.Inside[r]
		}
	}
	return 0
}

// of is what an application that runs takes at a level, in the pools and the domain that it runs in.
func (l *Level) of(app *App) []Load {
	loads, g := l.loads(app.pool), l.gang
	if g == nil {
		return loads
	}
	for i := range app.Grants {
		if h := &app.Grants[i]; len(h.Domains) == 1 && slices.Contains(g.members, h.Component) {
			return standIn(slices.Clone(loads), g.in(app.pool), h.Domains[0], g.amount)
		}
	}
	return loads
}

// tell gives the members of a gang, which was just given its place, the domain that it stands in. A gang that stands in none
// gets the fewest with room for all of it as a hint, if few do.
func (g *gang) tell(b *Books, app *App, at int) {
	if g == nil || g.in(at) < 0 {
		return
	}
	pool := g.in(at)
	q := b.Pools[pool]
	domains, runs := g.held(app, q.Name)
	for _, l := range app.Taken {
		if l.Pool == pool && l.In != "" {
			domains = []string{l.In}
		}
	}
	if domains == nil && !runs && !g.amount.isNothing() {
		domains = q.fewest(app, g.amount)
	}
	for i := range app.Grants {
		if grant := &app.Grants[i]; slices.Contains(g.members, grant.Component) {
			if grant.Domains = domains; len(domains) > 1 {
				q.occupy(domains, b.Of(grant.Requests), grant.Replicas+grant.Surge)
			}
		}
	}
}

// setAside makes a domain smaller by an amount on each of its nodes.
func (d *domain) setAside(each Vector) {
	all := make(Vector, len(each))
	all.addTimes(each, d.nodes)
	for r, n := range all {
		d.capacity[r] -= min(n, d.capacity[r])
	}
}

// free is how much of a resource is left in a domain.
func (d *domain) free(r int) int64 {
	if d.nodes == 0 && !d.gone { // its capacity is not known
		return most
	}
	return d.capacity[r] - d.used[r] - d.taken[r]
}

// freeIn is how much of a resource of a domain the gang of an application may still take.
func (q *Pool) freeIn(d *domain, app *App, r int) int64 {
	return d.free(r) - q.promised(d.name, app, r)
}

// holds reports whether a domain has room for an amount that an application takes.
func (q *Pool) holds(d *domain, app *App, amount Vector) bool {
	return !d.gone && amount.all(func(r int, n int64) bool { return n <= q.freeIn(d, app, r) })
}

// domain returns a domain of the pool by name. One that nodes have no more is made: what stood there is still booked.
func (q *Pool) domain(name string) *domain {
	i, ok := slices.BinarySearchFunc(q.domains, name, func(d *domain, name string) int { return cmp.Compare(d.name, name) })
	if !ok {
		none := make(Vector, len(q.Used))
		q.domains = slices.Insert(q.domains, i, &domain{name: name, capacity: none, used: slices.Clone(none), taken: slices.Clone(none), gone: true})
	}
	return q.domains[i]
}

// tightest names the domain in which an amount leaves least of what it takes most of, "" if it fits in none.
func (q *Pool) tightest(app *App, amount Vector) (name string) {
	r, least := q.mostOf(amount), int64(0)
	for _, d := range q.domains {
		if left := q.freeIn(d, app, r); q.holds(d, app, amount) && (name == "" || left < least) {
			name, least = d.name, left
		}
	}
	return name
}

// mostOf is the resource of which an amount is the largest part of the pool.
func (q *Pool) mostOf(amount Vector) (resource int) {
	for r, n := range amount {
		if part(n, q.Offered[r]) > part(amount[resource], q.Offered[resource]) {
			resource = r
		}
	}
	return resource
}

// mostDomains bounds how many domains a hint names, and in how many room is looked for.
const mostDomains = 8

// fewest names, in order, the fewest domains that together have room for an amount, nil if it takes many.
func (q *Pool) fewest(app *App, amount Vector) (names []string) {
	rest := slices.Clone(amount)
	for _, d := range q.roomiest(app, amount) {
		if len(names) == mostDomains {
			return nil
		}
		names = append(names, d.name)
		for r := range rest {
			rest[r] -= max(0, q.freeIn(d, app, r))
		}
		if rest.isNothing() {
			slices.Sort(names)
			return names
		}
	}
	return nil
}

// roomiest lists the domains in which least is lacking of an amount of what it takes most of, those with most room first.
func (q *Pool) roomiest(app *App, amount Vector) []*domain {
	list, r := slices.DeleteFunc(slices.Clone(q.domains), func(d *domain) bool { return d.gone }), q.mostOf(amount)
	slices.SortStableFunc(list, func(x, y *domain) int { return cmp.Compare(q.freeIn(y, app, r), q.freeIn(x, app, r)) })
	return list
}

// domainsFor lists in which domains to make room for a gang, those that lack least first: none is named where that makes no
// difference.
func (r *room) domainsFor(c *preemptor, level, at int) []string {
	g := c.app.Levels[level].gang
	if g == nil || !g.required || g.in(at) < 0 {
		return []string{""}
	}
	q := r.Pools[g.in(at)]
	if held, _ := g.held(c.app, q.Name); len(held) == 1 {
		return held
	}
	var names []string
	for _, d := range q.roomiest(c.app, g.amount) {
		if len(names) < mostDomains && (d.nodes == 0 || g.amount.Fits(d.capacity)) {
			names = append(names, d.name)
		}
	}
	return names
}
