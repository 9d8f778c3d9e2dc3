package arbitration

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Inside shows the tests of invariants what a ruling does not say: entitlements
// and standings before anything is moved.
type Inside struct{ p *problem }

// Rank is the standing of one part of an application.
type Rank = standing

// Slack is how far beyond its entitlement a tenant loses nothing, and Whole is all capacity.
const (
	Slack = uint64(slack)
	Whole = uint64(whole)
)

// LookInside arbitrates up to the point where standings are known.
func LookInside(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) *Inside {
	p := newProblem(&fleet, &seen, &ledger, now)
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
	return &Inside{p}
}

// Counts says how often an arbiter decided everything, what changed, and nothing.
func Counts(a *Arbiter) (anew, followed, rested int) { return a.anew, a.followed, a.rested }

func (i *Inside) claim(app model.AppID) *claim {
	for _, c := range i.p.claims {
		if c.app == app {
			return c
		}
	}
	return nil
}

// Parts are the standings of an application by rung, nil if it has none, and the
// rung that it runs at, -1 if it does not run.
func (i *Inside) Parts(app model.AppID) (parts []Rank, rung int) {
	c := i.claim(app)
	if c == nil || c.standing == nil {
		return nil, -1
	}
	return c.standing, c.rung
}

// Better says whether x stands better than y.
func Better(x, y Rank) bool { return x.compare(y) < 0 }

// Guaranteed says whether a part fits in the guarantee of its tenant.
func Guaranteed(r Rank) bool { return r.class == guaranteed }

// Entitled says whether a part fits in what its tenant is entitled to.
func Entitled(r Rank) bool { return r.class <= entitled }

// Beyond says whether a part goes beyond that by more than the slack.
func Beyond(r Rank) bool { return r.class == beyond }

// Entitlement is the share that a tenant is entitled to, and Used the one it has.
func (i *Inside) Entitlement(tenant string) uint64 {
	return uint64(i.p.nodes[i.p.tenants[tenant]].entitled)
}

// Used is the dominant share of what a tenant holds.
func (i *Inside) Used(tenant string) uint64 {
	return uint64(i.p.nodes[i.p.tenants[tenant]].used.dominant(i.p.total))
}

// AboveFloor says whether a tenant would hold more of some resource than the
// guarantee that holds, if it held what it does and more.
func (i *Inside) AboveFloor(tenant string, more model.Resources) bool {
	n := &i.p.nodes[i.p.tenants[tenant]]
	sum := slices.Clone(n.used)
	sum.add(i.p.of(more))
	return !sum.fits(n.floor)
}

// Running lists the standings of all parts that run, best first.
func (i *Inside) Running() (all []Rank) {
	for _, c := range i.p.claims {
		if c.granted() && c.standing != nil {
			all = append(all, c.standing[c.rung:]...)
		}
	}
	slices.SortFunc(all, standing.compare)
	return all
}

// Improves says whether one list of standings is better than another: the first
// that differs is better, or there are more.
func Improves(after, before []Rank) bool { return slices.CompareFunc(after, before, backwards) > 0 }

func backwards(x, y Rank) int { return y.compare(x) }

// DegradingSuffices says whether an application that waits would fit at some
// rung if all that may be degraded in its favour were.
func (i *Inside) DegradingSuffices(app model.AppID) bool {
	p, c := i.p, i.claim(app)
	for l := range c.ladder {
		for _, at := range p.preferred(c, c.spec, &c.ladder[0]) {
			needs := p.needs(c, &c.ladder[l], at, nil)
			if len(needs) == 0 {
				continue
			}
			rest := make([]int64, len(needs))
			for r, n := range needs {
				rest[r] = n.amount
			}
			for _, o := range p.options(c, c.worst(l), needs) {
				if len(o.gains) > 0 {
					subtract(rest, o.gains[len(o.gains)-1])
				}
			}
			if covered(rest) {
				return true
			}
		}
	}
	return false
}
