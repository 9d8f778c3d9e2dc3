package arbitration

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// need is how much of what must become free for an application to fit.
type need struct {
	shortage
	amount int64
}

// plan is a way to make room: to is -1 for those that are evicted.
type plan struct {
	moves []move
	level int // the rung that the application gets
	at    int // the pool of its loose components
}

type move struct {
	option *option
	to     int
}

func (pl *plan) evictions() (n int) {
	for _, m := range pl.moves {
		if m.to < 0 {
			n++
		}
	}
	return n
}

// makeRoom lets others give way for an application that stands better, if policy
// allows it, and grants it the place. Degradation comes before eviction; of the
// levels that it could get, the one that evicts fewest applications is taken,
// and of these the best.
func (p *problem) makeRoom(c *claim, spec *model.Application, ladder []rung, kept []load) bool {
	var best *plan
	for level := range ladder {
		for _, at := range p.preferred(c, spec, &ladder[0]) {
			pl := p.plan(c, ladder, level, at, kept)
			if pl != nil && (best == nil || pl.evictions() < best.evictions()) {
				best = pl
			}
		}
	}
	if best == nil {
		return false
	}
	p.carryOut(c, best)
	loads, _ := p.fit(c, &ladder[best.level], best.at, kept)
	p.settle(c, spec, ladder, best.level, best.at, loads)
	return true
}

// plan finds the least that others must give up so that a rung fits.
func (p *problem) plan(c *claim, ladder []rung, level, at int, kept []load) *plan {
	needs := p.needs(c, &ladder[level], at, kept)
	if len(needs) == 0 {
		return nil // it fits, or cannot
	}
	options := p.options(c, c.worst(level), needs)
	for {
		moves := choose(options, needs)
		if moves == nil {
			return nil
		}
		spared := p.review(c, ladder, level, at, kept, moves)
		if spared == nil {
			return &plan{moves: moves, level: level, at: at}
		}
		options = slices.DeleteFunc(options, func(o *option) bool { return o == spared })
	}
}

// review looks at a plan after all that was done to make it small. It is good if
// every part that is given up stands worse than every part that is gained, so
// that the outcome is strictly better; if no tenant loses to another one what it
// needs to have what it is guaranteed or entitled to; and if the application then
// fits. If not, it returns the option to do without. Nothing is booked.
func (p *problem) review(c *claim, ladder []rung, level, at int, kept []load, moves []move) (spared *option) {
	gained := c.worst(level)
	order := slices.Clone(moves)
	slices.SortFunc(order, func(x, y move) int {
		return cmp.Or(y.option.least.compare(x.option.least), elders(y.option.claim, x.option.claim))
	})
	before := make([][]load, 0, len(order))
	for _, m := range order {
		v, to := m.option.claim, m.to
		if to < 0 {
			to = len(v.ladder)
		}
		for l := v.rung; l < to; l++ {
			if !p.may(c, gained, v, v.standing[l]) {
				spared = m.option
			}
		}
		if spared != nil {
			break
		}
		before = append(before, p.release(v))
		if m.to >= 0 {
			p.take(v, v.ladder[m.to].loads(v.pool))
		}
	}
	if spared == nil {
		if _, short := p.fit(c, &ladder[level], at, kept); short != nil {
			spared = order[len(order)-1].option
		}
	}
	for i := range before {
		if order[i].to >= 0 {
			p.release(order[i].option.claim)
		}
		p.take(order[i].option.claim, before[i])
	}
	return spared
}

// needs lists what is short for a rung.
func (p *problem) needs(c *claim, r *rung, at int, kept []load) (needs []need) {
	_, short := p.fit(c, r, at, kept)
	for _, s := range short {
		if s.resource < 0 {
			return nil // too few domains with room: giving way in amounts does not help surely
		}
		needs = append(needs, need{s, s.asked - s.free})
	}
	if len(needs) > 0 && needs[0].pool >= 0 && p.limited {
		for _, s := range p.limits(c.tenant, r.total, p.sum(kept)) {
			needs = append(needs, need{s, s.asked - s.free})
		}
	}
	return needs
}

// may says whether a part of an application may take the place of a part of
// another one, which must stand worse.
//
//   - Within a tenant, by a higher priority, where the policies of both allow it.
//   - Across tenants, what is guaranteed takes what is not; what a tenant is
//     entitled to takes what another has beyond its entitlement, in the same or
//     a lower band; and, where policy says any, a higher band takes from a lower
//     one. Never what is guaranteed, nor from a tenant that has no more than it is
//     guaranteed. What may be taken from a tenant is the platform's policy:
//     nobody keeps what he borrowed by saying so.
func (p *problem) may(c *claim, s standing, v *claim, z standing) bool {
	if s.compare(z) >= 0 {
		return false
	}
	if c.tenant == v.tenant {
		return s.priority > z.priority && preemption(c.policy()) >= withinTenant && preemption(v.policy()) >= withinTenant
	}
	allowed := min(preemption(&p.platform.Policy), preemption(c.policy()))
	n := &p.nodes[v.tenant]
	switch {
	case z.class == guaranteed || allowed < reclaim || n.used.fits(n.floor):
		return false
	case s.class == guaranteed:
		return true
	case s.class == entitled && z.class == beyond && s.band <= z.band && n.used.dominant(p.total) > n.entitled+slack:
		return true
	}
	return allowed == anyBand && s.band < z.band
}

// How far policy lets applications take the place of others.
const (
	never = iota
	withinTenant
	reclaim
	anyBand
)

func preemption(policy *model.Policy) int {
	switch policy.Preemption {
	case "within-tenant":
		return withinTenant
	case "reclaim":
		return reclaim
	case "any":
		return anyBand
	}
	return never
}

func (c *claim) policy() *model.Policy {
	switch {
	case c.wanted != nil:
		return &c.wanted.Policy
	case c.spec != nil:
		return &c.spec.Policy
	}
	return &model.Policy{}
}

// protected says whether an incumbent has not run for the least time that policy
// gives it.
func (p *problem) protected(v *claim) bool {
	least := v.policy().MinRuntime
	return least > 0 && p.now.Sub(v.started()) < least
}

// carryOut takes from the victims of a plan what they give up.
func (p *problem) carryOut(c *claim, pl *plan) {
	for _, m := range pl.moves {
		v := m.option.claim
		d := displaced{claim: v, spec: v.spec, from: v.ladder[v.rung].cut, evicted: m.to < 0, why: p.why(c, c.worst(pl.level), v, m)}
		p.release(v)
		if m.to < 0 {
			v.verdict, v.reason, v.rung, v.grants = model.Evicted, model.Preempted, -1, nil
		} else {
			d.to = v.ladder[m.to].cut
			p.degrade(v, m.to)
			v.reason = model.Preempted
		}
		v.favoured = c
		p.touch(v)
		v.message = d.why
		c.victims = append(c.victims, d)
	}
}

// degrade puts an incumbent on a lower rung, in the pools that it runs in.
func (p *problem) degrade(v *claim, to int) {
	if v.taken != nil {
		p.release(v)
	}
	loads := v.ladder[to].loads(v.pool)
	p.take(v, loads)
	grants := v.ladder[to].grants(v.spec)
	for i := range grants {
		n := slices.IndexFunc(v.grants, func(g model.Grant) bool { return g.Component == grants[i].Component })
		if n >= 0 {
			grants[i].Pool, grants[i].Domains = v.grants[n].Pool, v.grants[n].Domains
		}
	}
	v.grants, v.rung, v.reason = grants, to, model.CapacityShort
}
