package arbitration

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Arbiter decides as Decide does, and remembers the last arbitration so that the
// next one costs as much as what changed. It falls back to deciding everything
// anew where the tree, the pools or the platform change: both rule the same. A
// decision that does not change keeps the words, shares and inputs with which it
// was made. It is not safe for concurrent use; a ruling is good until the next
// call, and inputs must never be changed after the call.
type Arbiter struct {
	last   *problem
	ruling model.Ruling
	wake   time.Time // when time alone can change the ruling, zero: never
	moved  bool      // the last ruling moved something

	anew, followed, rested int // how often it decided everything, what changed, nothing
}

// Decide rules like the function of the same name.
func (a *Arbiter) Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	if fleet.Platform == nil {
		a.last = nil
		return model.Ruling{}
	}
	p := a.last
	e := &edits{fleet: &fleet, seen: &seen, ledger: &ledger, now: now}
	switch {
	case p == nil || now.Before(p.now) || !p.returns.IsZero() && !now.Before(p.returns) || !p.compare(e):
		a.anew++
		p = newProblem(&fleet, &seen, &ledger, now)
		p.solve()
		a.last, a.ruling = p, p.ruling()
		p.explain(&a.ruling, p.claims)
	case e.none() && !a.moved && (len(p.newcomers) == 0 || now.Equal(p.now)) && (a.wake.IsZero() || now.Before(a.wake)):
		a.rested++
		p.fleet, p.ledger, p.seen = &fleet, &ledger, seen.Pools
		return a.ruling
	default:
		a.followed++
		a.ruling = p.follow(e)
	}
	a.wake, a.moved = p.wakes(), p.moved()
	return a.ruling
}

// moved says whether anything was granted, reduced, raised, replaced or evicted.
func (p *problem) moved() bool {
	for _, c := range p.touched {
		switch {
		case c.granted() != c.incumbent(), c.favoured != nil, !c.evictAt.IsZero():
			return true
		case c.granted() && c.accepted() != c.spec:
			return true
		case c.granted() && !sameGrants(c.grants, c.holds):
			return true
		}
	}
	for i := range p.pools {
		if !p.pools[i].kept.isZero() {
			return true
		}
	}
	return false
}

// wakes is when time alone can change the ruling next.
func (p *problem) wakes() (at time.Time) {
	soonest := func(t time.Time) {
		if t.After(p.now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	soonest(p.returns)
	for _, c := range p.running {
		if !c.granted() {
			continue
		}
		if c.rung > 0 {
			soonest(c.instance.Since.Add(c.restoreHold()))
		}
		if least := c.policy().MinRuntime; least > 0 {
			soonest(c.started().Add(least))
		}
		if !c.evictAt.IsZero() {
			soonest(c.evictAt)
		}
	}
	if !p.patient {
		return at
	}
	for _, line := range p.lines {
		for _, c := range line {
			if after := c.policy().ReserveAfter; after > 0 && c.verdict == model.Waiting {
				soonest(c.waitsSince(p.now).Add(after))
			}
		}
	}
	return at
}
