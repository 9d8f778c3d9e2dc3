// Package inside shows tests of arbitration what a ruling does not say: fair shares
// and standings before anything is moved. It decides nothing.
package inside

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// Inside shows the tests of invariants what a ruling does not say: fair shares
// and standings before anything is moved.
type Inside struct{ p *solve.Case }

// Rank is the standing of one part of an application.
type Rank = solve.Standing

// Slack is how far beyond its fair share a tenant loses nothing, and Whole is all capacity.
const (
	Slack = uint64(solve.Slack)
	Whole = uint64(solve.Whole)
)

// Look arbitrates up to the point where standings are known.
func Look(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) *Inside {
	c := solve.New(solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now})
	all := c.FirstComeOrder()
	for _, app := range all {
		c.KeepPlace(app)
	}
	for _, app := range all {
		c.PassGate(app)
	}
	c.CountDemand()
	c.FairShares()
	c.Stand()
	return &Inside{c}
}

func (i *Inside) app(id model.AppID) *solve.App {
	for _, c := range i.p.Apps {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Parts are the standings of an application by level, nil if it has none, and the
// level that it runs at, -1 if it does not run.
func (i *Inside) Parts(id model.AppID) (parts []Rank, level int) {
	c := i.app(id)
	if c == nil || c.Standing == nil {
		return nil, -1
	}
	return c.Standing, c.Level
}

// Better reports whether x stands better than y.
func Better(x, y Rank) bool { return x.Compare(y) < 0 }

// WithinGuarantee reports whether a part fits in the guarantee of its tenant.
func WithinGuarantee(r Rank) bool { return r.Class == solve.WithinGuarantee }

// WithinFairShare reports whether a part fits in the fair share of its tenant.
func WithinFairShare(r Rank) bool { return r.Class <= solve.WithinFairShare }

// Borrowing reports whether a part goes beyond that by more than the slack.
func Borrowing(r Rank) bool { return r.Class == solve.Borrowing }

// FairShare is the fair share of a tenant, and Used the one it has.
func (i *Inside) FairShare(tenant string) uint64 {
	return uint64(i.p.Nodes[i.p.Tenants[tenant]].FairShare)
}

// Used is the dominant share of what a tenant holds.
func (i *Inside) Used(tenant string) uint64 {
	return uint64(i.p.Nodes[i.p.Tenants[tenant]].Used.Dominant(i.p.Total))
}

// AboveFloor reports whether a tenant would hold more of some resource than the
// guarantee that holds, if it held what it does and more.
func (i *Inside) AboveFloor(tenant string, more model.Resources) bool {
	n := &i.p.Nodes[i.p.Tenants[tenant]]
	sum := slices.Clone(n.Used)
	sum.Add(i.p.Of(more))
	return !sum.Fits(n.Floor)
}

// Running lists the standings of all parts that run, best first.
func (i *Inside) Running() (all []Rank) {
	for _, app := range i.p.Apps {
		if app.Granted() && app.Standing != nil {
			all = append(all, app.Standing[app.Level:]...)
		}
	}
	slices.SortFunc(all, solve.Standing.Compare)
	return all
}

// Improves reports whether one list of standings is better than another: the first
// that differs is better, or there are more.
func Improves(after, before []Rank) bool { return slices.CompareFunc(after, before, backwards) > 0 }

func backwards(x, y Rank) int { return y.Compare(x) }

// DegradingSuffices reports whether an application that waits would fit at some
// level if all that may be degraded for it were.
func (i *Inside) DegradingSuffices(id model.AppID) bool {
	p, c := i.p, i.app(id)
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
