package arbitration

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// RestoreHold is how long an application stays degraded before it is restored
// where policy does not say, so that capacity that comes and goes does not move
// replicas with it.
const RestoreHold = 30 * time.Second

// ShortageHold is how long a pool must have been short of what was granted before
// an application that cannot be degraded loses its place. The decision announces it.
const ShortageHold = time.Minute

// Decide rules on every application that the fleet declares to run, or that
// holds a grant in the ledger and is still declared. The fleet must have a
// platform.
func Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	if fleet.Platform == nil {
		return model.Ruling{}
	}
	p := newProblem(&fleet, &seen, &ledger, now)
	p.solve()
	r := p.ruling()
	p.explain(&r, p.claims)
	return r
}

// solve is the arbitration, in the order in which its rules bind.
func (p *problem) solve() {
	byAge := slices.Clone(p.claims)
	slices.SortFunc(byAge, elders)
	for _, c := range byAge {
		p.keep(c)
	}
	for _, c := range byAge {
		p.pass(c)
	}
	p.entitle()
	p.stand()
	p.allot()
}

// allot decides who gets what, given what everybody stands for.
func (p *problem) allot() {
	p.shortages()
	var updates []*claim
	for _, c := range p.touched {
		if c.update != nil && c.granted() {
			updates = append(updates, c)
		}
	}
	slices.SortFunc(updates, func(x, y *claim) int { return cmp.Or(x.base().compare(y.base()), elders(x, y)) })
	for _, c := range updates {
		if c.granted() {
			p.replace(c)
		}
	}
	p.fill()
	p.restore()
}

// keep books what an incumbent holds: who runs keeps its place.
func (p *problem) keep(c *claim) {
	spec := c.accepted()
	if spec == nil {
		return
	}
	surge := c.held(spec, c.surges(spec))
	c.spec, c.ladder, c.grants = spec, p.climb(c, spec, surge), c.kept(spec, surge)
	c.rung = rungOf(spec, c.ladder, c.grants)
	if !sameGrants(c.grants, c.holds) {
		p.touch(c)
	}
	c.verdict, c.reason = model.Granted, model.Fits
	if c.rung > 0 {
		c.reason = model.CapacityShort
	}
	var loads []load
	for i := range c.grants {
		g := &c.grants[i]
		comp, ok := spec.Component(g.Component)
		pool, known := p.poolAt[g.Pool]
		if !ok || !known || !comp.Runs() || c.done(spec, comp) {
			continue
		}
		amount := p.zero()
		amount.addTimes(p.of(g.Requests), g.Replicas+g.Surge)
		loads = addLoad(loads, pool, amount)
		if len(g.Domains) > 0 {
			p.hint(c, g)
		}
	}
	p.take(c, loads)
	p.count(c, spec, c.ladder[0].total, 1)
	if c.unusable != nil {
		c.refused = &model.Refusal{Reason: unusableReason(c.unusable), Message: c.unusable.Message}
	}
}

// hint counts what a grant takes of the domains that it names, if it takes
// anything.
func (p *problem) hint(c *claim, g *model.Grant) {
	comp, ok := c.spec.Component(g.Component)
	if pool, known := p.poolAt[g.Pool]; ok && known && comp.Runs() && !c.done(c.spec, comp) {
		p.occupy(&p.pools[pool], g.Domains, p.of(g.Requests), g.Replicas+g.Surge)
	}
}

// pass sends what Git says through the gate: the newer spec of an incumbent, or
// an application that holds no place.
func (p *problem) pass(c *claim) {
	if c.incumbent() {
		p.passUpdate(c)
		return
	}
	if c.wanted == nil {
		c.verdict, c.reason, c.message = model.Rejected, unusableReason(c.unusable), c.unusable.Message
		return
	}
	c.spec = c.wanted
	ladder := p.climb(c, c.spec, nil)
	found, ok := p.gate(c, c.spec, ladder)
	c.findings = found
	if !ok {
		r := refusal(found)
		c.verdict, c.reason, c.message = model.Rejected, r.Reason, r.Message
		return
	}
	c.ladder, c.verdict, c.reason = ladder, model.Waiting, model.CapacityShort
	p.count(c, c.spec, ladder[0].total, 1)
}

func (p *problem) passUpdate(c *claim) {
	if c.wanted == nil || c.spec == nil {
		return
	}
	surge := c.surges(c.wanted)
	if c.wanted.Digest == c.spec.Digest && slices.Equal(surge, c.ladder[0].surge) {
		return
	}
	if slices.Contains(c.instance.Held, c.wanted.Digest) {
		c.refused = &model.Refusal{Spec: c.wanted.Digest, Reason: model.RolledBackSpec,
			Message: "this spec was rolled back because it did not start; it is tried again when it changes"}
		return
	}
	p.count(c, c.spec, c.ladder[0].total, -1)
	ladder := p.climb(c, c.wanted, surge)
	found, ok := p.gate(c, c.wanted, ladder)
	if !ok {
		c.findings = found
		c.refuse(refusal(found), surge)
		p.count(c, c.spec, c.ladder[0].total, 1)
		return
	}
	// Until it is known which of the two it will be, the larger of both counts.
	larger, most := c.wanted, p.zero()
	if workloads(c.spec) > workloads(c.wanted) {
		larger = c.spec
	}
	for r := range most {
		most[r] = max(c.ladder[0].total[r], ladder[0].total[r])
	}
	p.count(c, larger, most, 1)
	c.update, c.updateFindings = ladder, found
	p.touch(c)
}

// replace tries the spec in Git in place of the accepted one. When it does not
// fit, the accepted one stays as it is.
func (p *problem) replace(c *claim) {
	p.weakness() // while it still stands where it does
	accepted, old, rung, grants, reason := c.spec, c.ladder, c.rung, c.grants, c.reason
	held := p.release(c)
	c.verdict = model.Waiting
	// The newer spec stands as the accepted one does, step by step.
	c.ladder = c.update
	c.standing = resized(c.standing, len(c.update))
	if p.place(c, c.wanted, c.update, held) {
		c.findings = c.updateFindings
		return
	}
	c.refuse(&model.Refusal{Reason: model.CapacityShort, Message: "does not fit beside what runs: it " + p.sentence(c.short)}, c.update[0].surge)
	c.spec, c.ladder, c.rung, c.grants, c.reason, c.verdict = accepted, old, rung, grants, reason, model.Granted
	c.standing = resized(c.standing, len(old))
	p.take(c, held)
}

// resized gives a ladder of another length the standings of the one before: the
// base stays the base.
func resized(s []standing, n int) []standing {
	out := make([]standing, n)
	for i := range out {
		out[n-1-i] = s[max(0, len(s)-1-i)]
	}
	return out
}

// place finds a place for a spec: in free capacity on the best rung that fits,
// else where others must give way.
func (p *problem) place(c *claim, spec *model.Application, ladder []rung, kept []load) bool {
	preferred := p.preferred(c, spec, &ladder[0])
	var first []shortage
	for l := range ladder {
		for _, at := range preferred {
			loads, short := p.fit(c, &ladder[l], at, kept)
			if short == nil {
				p.settle(c, spec, ladder, l, at, loads)
				c.short = first
				return true
			}
			if first == nil || l > 0 && at == preferred[0] {
				first = short
			}
		}
	}
	if p.makeRoom(c, spec, ladder, kept) {
		return true
	}
	c.short = first
	return false
}

// fill serves those that wait. An application that has waited for long and still
// does not fit keeps what is free for itself, so that smaller ones cannot pass it
// for ever.
func (p *problem) fill() {
	q := p.newQueue()
	for c := q.head(); c != nil; c = q.head() {
		if q.skip(c) {
			continue
		}
		q.advance(c)
		if p.place(c, c.spec, c.ladder, nil) {
			q.moved(c.tenant)
			for _, d := range c.victims {
				q.moved(d.claim.tenant)
			}
			continue
		}
		if after := c.policy().ReserveAfter; after > 0 && p.now.Sub(c.waitsSince(p.now)) >= after {
			p.keepFree(c)
		}
	}
}

// keepFree reserves what is free of what the application lacks, in the pool that
// it would be placed in first.
func (p *problem) keepFree(c *claim) {
	at := -1
	if preferred := p.preferred(c, c.spec, &c.ladder[0]); len(preferred) > 0 {
		at = preferred[0]
	}
	for _, l := range c.ladder[len(c.ladder)-1].loads(at) {
		q := &p.pools[l.pool]
		for r, n := range l.amount {
			q.kept[r] += max(0, min(n, q.free(c, r)))
		}
	}
}

// waitsSince is when the application began to wait for capacity.
func (c *claim) waitsSince(now time.Time) time.Time {
	if c.instance == nil || c.instance.Phase != model.Admitted {
		return now
	}
	return c.instance.Since
}

// unusableReason tells an invalid spec from a removal that awaits confirmation.
func unusableReason(u *model.Unusable) model.Reason {
	if u.Code == model.CodeRemovalHeld {
		return model.RemovalHeld
	}
	return model.InvalidSpec
}
