package arbitration

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// shortages lets incumbents give way where a pool holds less than was granted of
// it, worst standing first: by degradation at once, by eviction when the shortage
// has lasted for ShortageHold.
func (p *problem) shortages() {
	for at := range p.pools {
		q := &p.pools[at]
		var needs []need
		for r := range q.used {
			if over := q.used[r] - q.capacity[r]; over > 0 {
				needs = append(needs, need{shortage{pool: at, resource: r, asked: q.used[r], free: q.capacity[r]}, over})
			}
		}
		if len(needs) > 0 {
			p.relieve(q, needs)
		}
	}
}

func (p *problem) relieve(q *pool, needs []need) {
	w := p.weakness()
	var options []*option
	for _, v := range w.all {
		if !v.granted() || len(v.taken) == 0 {
			continue
		}
		o := &option{claim: v, lowest: len(v.ladder) - 1, evict: true, least: v.base()}
		o.all = p.frees(v, nil, needs)
		if isNothing(o.all) {
			continue
		}
		for l := v.rung + 1; l < len(v.ladder); l++ {
			gain := p.frees(v, &v.ladder[l], needs)
			for i := range gain {
				gain[i] = max(0, o.all[i]-gain[i])
			}
			o.gains = append(o.gains, gain)
		}
		options = append(options, o)
	}
	for _, m := range choose(options, needs) {
		p.giveWay(q, m)
	}
}

// giveWay carries out what a shortage asks of an incumbent.
func (p *problem) giveWay(q *pool, m move) {
	v := m.option.claim
	p.touch(v)
	switch {
	case m.to >= 0:
		p.degrade(v, m.to)
		v.message = "granted less, because pool " + q.Name + " holds less than was granted of it"
	case p.announced(v):
		p.release(v)
		v.verdict, v.reason, v.rung, v.grants = model.Evicted, model.CapacityShort, -1, nil
		v.message = "loses its place: pool " + q.Name + " has held less than was granted of it for " + ShortageHold.String()
	default:
		// Until then it is degraded as far as it can be.
		if last := len(v.ladder) - 1; v.rung < last {
			p.degrade(v, last)
		}
		v.reason = model.CapacityShort
		v.message = "pool " + q.Name + " holds less than was granted of it; the application loses its place if that lasts for " + ShortageHold.String()
		if v.evictAt = p.announcement(v); v.evictAt.IsZero() {
			v.evictAt = p.now.Add(ShortageHold)
		}
	}
}

// announced says whether the time has come that an earlier decision announced.
func (p *problem) announced(v *claim) bool {
	at := p.announcement(v)
	return !at.IsZero() && !p.now.Before(at)
}

// restore gives back to degraded incumbents what they gave up, best standing
// first, one step after the other, when it fits with the margin that policy
// wants, they have been degraded for long enough, and what they depend on is
// ready.
func (p *problem) restore() {
	var degraded []*claim
	for _, c := range p.running {
		if c.granted() && c.rung > 0 && c.spec == c.accepted() && c.favoured == nil && c.evictAt.IsZero() && p.due(c) {
			degraded = append(degraded, c)
		}
	}
	slices.SortFunc(degraded, func(x, y *claim) int {
		return cmp.Or(x.standing[x.rung-1].compare(y.standing[y.rung-1]), elders(x, y))
	})
	for _, c := range degraded {
		held := p.release(c)
		for l := 0; l < c.rung; l++ {
			if c.ladder[l].loose != nil || !c.mayGrow(l) {
				continue // its pool is gone, or what it depends on is not ready
			}
			loads, short := p.fit(c, &c.ladder[l], -1, held)
			if short == nil && p.marginHolds(c, loads, held) {
				p.settle(c, c.spec, c.ladder, l, -1, loads)
				break
			}
			if l == 0 {
				c.short = short
			}
		}
		if c.taken == nil {
			p.take(c, held)
		}
	}
}

// due says whether a degraded application may be restored now.
func (p *problem) due(c *claim) bool {
	return p.now.Sub(c.instance.Since) >= c.restoreHold() && c.mayGrow(c.rung-1)
}

// restoreHold is how long the application stays degraded at the least.
func (c *claim) restoreHold() time.Duration {
	if hold := c.policy().RestoreHold; hold != 0 {
		return hold
	}
	return RestoreHold
}

// mayGrow says whether everything of which rung l has more than is granted now
// finds ready what it depends on.
func (c *claim) mayGrow(l int) bool {
	for i := range c.spec.Components {
		comp := &c.spec.Components[i]
		for _, name := range comp.DependsOn {
			state, ok := c.instance.Component(name)
			if more, _ := at(comp, c.ladder[l].cut); ok && !ready(state) && more > c.replicas(comp.Name) {
				return false
			}
		}
	}
	return true
}

func ready(s *model.ComponentState) bool {
	return s.State == model.StateReady || s.State == model.StateDone || s.State == model.StateOff || s.State == ""
}

// replicas is how many of a component are granted.
func (c *claim) replicas(component string) int {
	for i := range c.grants {
		if c.grants[i].Component == component {
			return c.grants[i].Replicas
		}
	}
	return 0
}

// marginHolds says whether as much stays free of the pools that the application
// would take more of as policy wants.
func (p *problem) marginHolds(c *claim, loads, held []load) bool {
	thousandths := int64(c.policy().RestoreMargin)
	if thousandths <= 0 {
		return true
	}
	for _, l := range loads {
		q := &p.pools[l.pool]
		for r, n := range l.amount {
			if n > heldOf(held, l.pool, r) && q.free(c, r)-n < q.capacity[r]/1000*thousandths {
				return false
			}
		}
	}
	return true
}
