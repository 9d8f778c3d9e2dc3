package arbitration

import (
	"encoding/binary"
	"math"
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

// run is a stretch of a tenant's line in which all hope for just the same.
type run struct {
	to       int // where it ends
	want     *want
	base     standing
	allowed  int  // how far the platform's policy and theirs let them take from others
	own      bool // policy lets them take from their own tenant
	promised bool // something is reserved for them alone
}

// want is the least that an application can run with, and what it asks for in
// full. Those that want the same share it.
type want struct {
	least rung
	total vector
}

// findRuns divides the line of a tenant into runs: by place in the line, so that
// each tells where it ends. Who was never tried, or keeps free what it does not
// get, has no want: it is always tried.
func (p *problem) findRuns(i int) {
	line := p.lines[i]
	if p.runs[i] != nil || len(line) == 0 {
		return
	}
	platform := preemption(&p.platform.Policy)
	runs := make([]run, len(line))
	for at := len(line) - 1; at >= 0; at-- {
		c := line[at]
		allowed := preemption(c.policy())
		r := run{to: at + 1, base: c.base(), allowed: min(platform, allowed), own: allowed >= withinTenant}
		if c.short != nil && c.policy().ReserveAfter == 0 {
			r.want, r.promised = p.wantOf(c), p.promisedAlone(c)
		}
		if at+1 < len(line) && r.want != nil && !r.promised && r == (run{at + 1, runs[at+1].want, runs[at+1].base, runs[at+1].allowed, runs[at+1].own, runs[at+1].promised}) {
			r.to = runs[at+1].to
		}
		runs[at] = r
	}
	p.runs[i] = runs
}

// wantOf returns what a claim wants, the same for all that want the same.
func (p *problem) wantOf(c *claim) *want {
	w := want{least: c.ladder[len(c.ladder)-1], total: c.ladder[0].total}
	key := make([]byte, 0, 64)
	add := func(v vector) {
		key = binary.AppendVarint(key, int64(len(v)))
		for _, n := range v {
			key = binary.AppendVarint(key, n)
		}
	}
	add(w.total)
	add(w.least.loose)
	for _, l := range w.least.bound {
		key = binary.AppendVarint(key, int64(l.pool))
		add(l.amount)
	}
	if p.wants == nil {
		p.wants = map[string]*want{}
	}
	if p.wants[string(key)] == nil {
		p.wants[string(key)] = &w
	}
	return p.wants[string(key)]
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

// fromOthers is the most that those of a run might take of other tenants, by pool:
// nil for nothing. It is generous: it asks only what may (room.go) asks of classes
// and bands.
func (p *problem) fromOthers(w *run) []vector {
	s := w.base
	if w.allowed < reclaim || s.class > entitled && w.allowed < anyBand {
		return nil
	}
	key := hope{weak{s.class, s.band}, w.allowed}
	room, ok := p.hopes.room[key]
	if ok {
		return room
	}
	for v, taken := range p.hopes.taken {
		switch {
		case v.class == guaranteed:
		case s.class == guaranteed, s.class == entitled && v.class == beyond && s.band <= v.band, w.allowed == anyBand && s.band < v.band:
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

// fromOwn is the most that those of a run might take within their tenant, nil for
// nothing.
func (p *problem) fromOwn(c *claim, w *run) vector {
	if p.hopes.least[c.tenant] >= w.base.priority || !w.own {
		return nil
	}
	return p.nodes[c.tenant].used
}

// hopeless says that a claim of a run is sure to get nothing now: not in what is
// free and not in what others would give up.
func (p *problem) hopeless(c *claim, w *run) bool {
	if w.want == nil {
		return false
	}
	others, own := p.fromOthers(w), p.fromOwn(c, w)
	for _, l := range w.want.least.bound {
		if !p.reaches(c, l.pool, l.amount, others, own) {
			return true
		}
	}
	if w.want.least.loose == nil {
		return false
	}
	for at := range p.pools {
		if p.reaches(c, at, w.want.least.loose, others, own) {
			return false
		}
	}
	return true
}

// reaches says whether an amount is free in a pool, or would be if others gave up
// so much.
func (p *problem) reaches(c *claim, pool int, amount vector, others []vector, own vector) bool {
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

// asking says at and below which nodes somebody might get something, nil for all.
// Others need not queue: they would be passed over without leaving a trace. Where
// somebody might take something from others all queue, as of what is given up some
// may be left over. Tenants of a group queue together, as those who get nothing
// have a say in the order of groups.
func (p *problem) asking() []bool {
	if !p.again {
		return nil
	}
	p.hopes = p.newHopes()
	asked, everybody := make([]bool, len(p.nodes)), false
	for i, line := range p.lines {
		p.findRuns(i)
		for at := 0; at < len(line); at = p.runs[i][at].to {
			c, w := line[at], &p.runs[i][at]
			if p.hopeless(c, w) {
				continue
			}
			asked[p.top(i)] = true
			everybody = everybody || p.fromOwn(c, w) != nil || p.fromOthers(w) != nil
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
