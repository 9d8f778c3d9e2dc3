package arbitration

import (
	"math"
	"slices"
)

// hopes are what wakes those that waited in the pass before. Each waits for the
// lowest rung of its ladder to fit, and that needs a pool in which as much is free
// as it asks for, or would be if everybody gave way who might. As long as no pool
// has that, nothing can be decided about it that was not decided before, and it is
// passed over without being tried.
//
// What might be taken from others is counted once, before those that wait are
// served, and can only become less while they are.
type hopes struct {
	taken map[weak][]vector // by pool: what those of a class and a band hold, at least a part of it
	least []int             // by node: the lowest priority of those that run
	room  map[hope][]vector // by pool: what claims of a kind might take of other tenants
}

// weak is what may give way, by its worst part.
type weak struct {
	class class
	band  int
}

// hope is what those have in common that might take the same.
type hope struct {
	weak
	allowed int
}

func (p *problem) newHopes() *hopes {
	h := &hopes{taken: map[weak][]vector{}, room: map[hope][]vector{}, least: make([]int, len(p.nodes))}
	for i := range h.least {
		h.least[i] = math.MaxInt
	}
	for _, c := range p.running {
		if !c.granted() || c.standing == nil {
			continue
		}
		h.least[c.tenant] = min(h.least[c.tenant], c.priority)
		key := weak{c.worst(c.rung).class, c.band}
		if h.taken[key] == nil {
			h.taken[key] = p.byPool()
		}
		for _, l := range c.taken {
			h.taken[key][l.pool].add(l.amount)
		}
	}
	return h
}

func (p *problem) byPool() []vector {
	v := make([]vector, len(p.pools))
	for i := range v {
		v[i] = p.zero()
	}
	return v
}

// fromOthers is the most that a claim might take of other tenants, by pool: nil
// for nothing. It is generous: it asks only what may (room.go) asks of classes and
// bands.
func (p *problem) fromOthers(c *claim) []vector {
	s := c.base()
	allowed := min(preemption(&p.platform.Policy), preemption(c.policy()))
	if allowed < reclaim || s.class > entitled && allowed < anyBand {
		return nil
	}
	key := hope{weak{s.class, s.band}, allowed}
	room, ok := p.hopes.room[key]
	if ok {
		return room
	}
	for v, taken := range p.hopes.taken {
		switch {
		case v.class == guaranteed:
		case s.class == guaranteed, s.class == entitled && v.class == beyond && s.band <= v.band, allowed == anyBand && s.band < v.band:
			if room == nil {
				room = p.byPool()
			}
			for i := range room {
				room[i].add(taken[i])
			}
		}
	}
	p.hopes.room[key] = room
	return room
}

// fromOwn is the most that a claim might take within its tenant, nil for nothing.
func (p *problem) fromOwn(c *claim) vector {
	if p.hopes.least[c.tenant] >= c.priority || preemption(c.policy()) < withinTenant {
		return nil
	}
	return p.nodes[c.tenant].used
}

// hopeless says that a claim that waited before is sure to get nothing now: not
// in what is free and not, where it is asked about, in what others would give up.
func (p *problem) hopeless(c *claim, withRoom bool) bool {
	if c.short == nil || c.policy().ReserveAfter > 0 {
		return false // never tried, or it keeps free what it does not get
	}
	var others []vector
	var own vector
	if withRoom {
		others, own = p.fromOthers(c), p.fromOwn(c)
	}
	fits := func(pool int, amount vector) bool {
		for r, n := range amount {
			if n == 0 {
				continue
			}
			free := p.pools[pool].free(c, r)
			if others != nil {
				free += others[pool][r]
			}
			if own != nil {
				free += own[r]
			}
			if n > free {
				return false
			}
		}
		return true
	}
	least := &c.ladder[len(c.ladder)-1]
	for _, l := range least.bound {
		if !fits(l.pool, l.amount) {
			return true
		}
	}
	if least.loose == nil {
		return false
	}
	for at := range p.pools {
		if fits(at, least.loose) {
			return false
		}
	}
	return true
}

// asking says at and below which nodes somebody might get something, nil for all.
// Others need not queue: they would be passed over without leaving a trace. Where
// somebody might take something from others all queue, as of what is given up some
// may be left over. Tenants of a group queue together, as those who get nothing
// have a say in the order of groups.
func (p *problem) asking() []bool {
	if !p.again {
		p.hopes = nil
		return nil
	}
	p.hopes = p.newHopes()
	asked, everybody := make([]bool, len(p.nodes)), false
	for i, line := range p.lines {
		p.findRuns(i)
		for at := 0; at < len(line); at = p.runs[i][at] {
			c := line[at]
			if p.hopeless(c, true) {
				continue
			}
			asked[p.top(i)] = true
			everybody = everybody || p.fromOwn(c) != nil || p.fromOthers(c) != nil
		}
	}
	if everybody {
		return nil
	}
	for i := range asked {
		asked[i] = asked[i] || i > 0 && asked[p.top(i)]
	}
	return asked
}

// top is the node just below the root that a node is in.
func (p *problem) top(i int) int {
	for p.nodes[i].parent > 0 {
		i = p.nodes[i].parent
	}
	return i
}

// findRuns finds the stretches of a tenant's line in which all are alike: by place
// in the line, where the stretch ends.
func (p *problem) findRuns(i int) {
	line := p.lines[i]
	if p.runs[i] != nil || len(line) == 0 {
		return
	}
	runs := make([]int, len(line))
	for at := len(line) - 1; at >= 0; at-- {
		if runs[at] = at + 1; at+1 < len(line) && p.alike(line[at], line[at+1]) {
			runs[at] = runs[at+1]
		}
	}
	p.runs[i] = runs
}

// alike says that two who wait in the line of a tenant hope for just the same.
func (p *problem) alike(x, y *claim) bool {
	if x.short == nil || y.short == nil || x.policy().ReserveAfter > 0 || y.policy().ReserveAfter > 0 ||
		x.base() != y.base() || x.priority != y.priority || preemption(x.policy()) != preemption(y.policy()) ||
		!slices.Equal(x.ladder[0].total, y.ladder[0].total) || p.promisedAlone(x) || p.promisedAlone(y) {
		return false
	}
	a, b := &x.ladder[len(x.ladder)-1], &y.ladder[len(y.ladder)-1]
	return slices.Equal(a.loose, b.loose) && slices.EqualFunc(a.bound, b.bound, func(l, m load) bool {
		return l.pool == m.pool && slices.Equal(l.amount, m.amount)
	})
}

// promisedAlone says whether a pool is reserved in part for just this application.
func (p *problem) promisedAlone(c *claim) bool {
	for i := range p.pools {
		for j := range p.pools[i].promises {
			if p.pools[i].promises[j].app == c.app {
				return true
			}
		}
	}
	return false
}
