// Package inside shows tests of arbitration what a ruling does not say: fair shares
// and standings before anything is moved. It decides nothing.
package inside

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// Inside shows the tests of invariants what a ruling does not say: entitlements
// and standings before anything is moved.
type Inside struct{ p *solve.Case }

// Rank is the standing of one part of an application.
type Rank = solve.Standing

// Slack is how far beyond its entitlement a tenant loses nothing, and Whole is all capacity.
const (
	Slack = uint64(solve.Slack)
	Whole = uint64(solve.Whole)
)

// LookInside arbitrates up to the point where standings are known.
func LookInside(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) *Inside {
	p := solve.New(solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now})
	all := p.FirstComeOrder()
	for _, c := range all {
		p.KeepPlace(c)
	}
	for _, c := range all {
		p.PassGate(c)
	}
	p.CountDemand()
	p.FairShares()
	p.Stand()
	return &Inside{p}
}

func (i *Inside) claim(app model.AppID) *solve.App {
	for _, c := range i.p.Apps {
		if c.ID == app {
			return c
		}
	}
	return nil
}

// Parts are the standings of an application by rung, nil if it has none, and the
// rung that it runs at, -1 if it does not run.
func (i *Inside) Parts(app model.AppID) (parts []Rank, rung int) {
	c := i.claim(app)
	if c == nil || c.Standing == nil {
		return nil, -1
	}
	return c.Standing, c.Level
}

// Better says whether x stands better than y.
func Better(x, y Rank) bool { return x.Compare(y) < 0 }

// Guaranteed says whether a part fits in the guarantee of its tenant.
func Guaranteed(r Rank) bool { return r.Class == solve.WithinGuarantee }

// Entitled says whether a part fits in what its tenant is entitled to.
func Entitled(r Rank) bool { return r.Class <= solve.WithinFairShare }

// Beyond says whether a part goes beyond that by more than the slack.
func Beyond(r Rank) bool { return r.Class == solve.Borrowing }

// Entitlement is the share that a tenant is entitled to, and Used the one it has.
func (i *Inside) Entitlement(tenant string) uint64 {
	return uint64(i.p.Nodes[i.p.Tenants[tenant]].FairShare)
}

// Used is the dominant share of what a tenant holds.
func (i *Inside) Used(tenant string) uint64 {
	return uint64(i.p.Nodes[i.p.Tenants[tenant]].Used.Dominant(i.p.Total))
}

// AboveFloor says whether a tenant would hold more of some resource than the
// guarantee that holds, if it held what it does and more.
func (i *Inside) AboveFloor(tenant string, more model.Resources) bool {
	n := &i.p.Nodes[i.p.Tenants[tenant]]
	sum := slices.Clone(n.Used)
	sum.Add(i.p.Of(more))
	return !sum.Fits(n.Floor)
}

// Running lists the standings of all parts that run, best first.
func (i *Inside) Running() (all []Rank) {
	for _, c := range i.p.Apps {
		if c.Granted() && c.Standing != nil {
			all = append(all, c.Standing[c.Level:]...)
		}
	}
	slices.SortFunc(all, solve.Standing.Compare)
	return all
}

// Improves says whether one list of standings is better than another: the first
// that differs is better, or there are more.
func Improves(after, before []Rank) bool { return slices.CompareFunc(after, before, backwards) > 0 }

func backwards(x, y Rank) int { return y.Compare(x) }

// DegradingSuffices says whether an application that waits would fit at some
// rung if all that may be degraded in its favour were.
func (i *Inside) DegradingSuffices(app model.AppID) bool {
	p, c := i.p, i.claim(app)
	r := p.Room()
	for l := range c.Levels {
		for _, at := range p.Preferred(c, c.Spec, &c.Levels[0]) {
			needs := r.Needs(c, &c.Levels[l], at, nil)
			if len(needs) == 0 {
				continue
			}
			rest := make([]int64, len(needs))
			for k, n := range needs {
				rest[k] = n.Amount
			}
			for _, o := range r.Options(c, c.Worst(l), needs) {
				if len(o.Gains) > 0 {
					solve.Subtract(rest, o.Gains[len(o.Gains)-1])
				}
			}
			if solve.Covered(rest) {
				return true
			}
		}
	}
	return false
}
