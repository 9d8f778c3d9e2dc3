// Package inside shows tests of arbitration what a ruling does not say: fair shares
// and standings before anything is moved. It decides nothing.
package inside

import (
	"maps"
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
	n := i.p.Nodes[i.p.Tenants[tenant]]
	sum := slices.Clone(n.Used)
	sum.Add(i.p.Of(more))
	return !sum.Fits(n.Floor)
}

// Running is how much runs at each rank: the sum of the dominant shares of its parts.
func (i *Inside) Running() map[solve.Rank]uint64 {
	all := map[solve.Rank]uint64{}
	for _, app := range i.p.Apps {
		if !app.Granted() || app.Standing == nil {
			continue
		}
		for l := app.Level; l < len(app.Levels); l++ {
			all[i.p.Rank(app, l)] += uint64(solve.Part(app.Levels, l).Dominant(i.p.Total))
		}
	}
	return all
}

// Improves reports whether what runs stands better than before: of the best rank of which
// it runs another amount, it runs more.
func Improves(after, before map[solve.Rank]uint64) bool {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, s := range slices.SortedFunc(maps.Keys(all), solve.Rank.Compare) {
		if after[s] != before[s] {
			return after[s] > before[s]
		}
	}
	return false
}

// DegradingSuffices reports whether an application that waits would fit at a
// level if all that may be degraded for it were. It is a slow reading of the rules of
// preemption, and answers no where limits of tenants or topology domains decide.
func (i *Inside) DegradingSuffices(id model.AppID, level int) bool {
	c := i.app(id)
	for _, n := range i.p.Nodes {
		if t := n.Tenant; t != nil && (t.Borrow != nil || t.Lend != nil) {
			return false
		}
	}
	for _, g := range i.p.Fleet.Platform.Groups {
		if g.Borrow != nil || g.Lend != nil {
			return false
		}
	}
	for k := range c.Spec.Components {
		if p := &c.Spec.Components[k].Placement; p.Spread != nil || p.Together != nil {
			return false
		}
	}
	for _, at := range i.p.Preferred(c, c.Spec, &c.Levels[0]) {
		if i.fitsWhenOthersAreDegraded(c, level, at) {
			return true
		}
	}
	return false
}

// fitsWhenOthersAreDegraded reports whether every pool has, or would have, what a level
// takes with its loose components in pool at.
func (i *Inside) fitsWhenOthersAreDegraded(c *solve.App, l, at int) bool {
	for pool := range i.p.Pools {
		for r := range i.p.Names {
			asked := taken(&c.Levels[l], at, pool, r)
			free := i.p.Pools[pool].Free(c, r)
			for _, v := range i.p.Running {
				if lowest := i.lowest(c, c.Worst(l), v); lowest > v.Level {
					free += max(0, solve.HeldOf(v.Taken, pool, r)-solve.HeldOf(v.Levels[lowest].Bound, pool, r))
				}
			}
			if asked > 0 && asked > free {
				return false
			}
		}
	}
	return true
}

func taken(l *solve.Level, at, pool, r int) int64 {
	n := solve.HeldOf(l.Bound, pool, r)
	if at == pool && l.Loose != nil {
		n += l.Loose[r]
	}
	return n
}

// lowest is the level to which an application may be degraded for standing s of c, its
// own if it may not.
func (i *Inside) lowest(c *solve.App, s Rank, v *solve.App) int {
	if v == c || !v.Granted() || v.Standing == nil || v.Policy().MinRuntime > 0 || v.Levels[len(v.Levels)-1].Loose != nil {
		return v.Level
	}
	l := v.Level
	for l+1 < len(v.Levels) && i.mayPreempt(c, s, v, v.Standing[l]) {
		l++
	}
	return l
}

func (i *Inside) mayPreempt(c *solve.App, s Rank, v *solve.App, z Rank) bool {
	own, theirs := solve.Preemption(c.Policy()), solve.Preemption(v.Policy())
	if c.Tenant == v.Tenant {
		return Better(s, z) && s.Priority > z.Priority && own >= solve.WithinTenant && theirs >= solve.WithinTenant
	}
	n, allowed := i.p.Nodes[v.Tenant], min(own, solve.Preemption(&i.p.Fleet.Platform.Policy))
	if !Better(s, z) || WithinGuarantee(z) || allowed < solve.Reclaim || n.Used.Fits(n.Floor) {
		return false
	}
	return allowed == solve.AnyBand && s.Band < z.Band // whether taking back a share is fair is not known here
}

// RoomOfLowerPriorities returns the best level that an application does not run at and that would fit if all that
// stands worse and is of a lower priority in its tenant were gone, -1 if there is none. It counts
// what pools hold and no limits of tenants.
func (i *Inside) RoomOfLowerPriorities(id model.AppID) int {
	c := i.app(id)
	if c == nil || c.Standing == nil {
		return -1
	}
	from, pools := len(c.Levels), []int{-1}
	if c.Granted() {
		from = c.Level
	} else if c.Levels[0].Loose != nil {
		pools = i.p.Preferred(c, c.Spec, &c.Levels[0])
	}
	first := 0
	if c.Policy().ClaimsMinimum() {
		first = len(c.Levels) - 1
	}
	for l := first; l < from; l++ {
		s := slices.MaxFunc(c.Standing[l:from], Rank.Compare)
		for _, at := range pools {
			if i.fitsWithoutLowerPriorities(c, s, l, at) {
				return l
			}
		}
	}
	return -1
}

func (i *Inside) fitsWithoutLowerPriorities(c *solve.App, s Rank, l, at int) bool {
	for pool := range i.p.Pools {
		for r := range i.p.Names {
			free := i.p.Pools[pool].Free(c, r) + solve.HeldOf(c.Taken, pool, r)
			for _, v := range i.p.Running {
				if v == c || v.Tenant != c.Tenant || v.Priority >= c.Priority || !v.Granted() || v.Standing == nil {
					continue
				}
				lowest := v.Level
				for lowest < len(v.Levels) && Better(s, v.Standing[lowest]) {
					lowest++
				}
				if lowest == v.Level {
					continue
				}
				free += solve.HeldOf(v.Taken, pool, r)
				if lowest < len(v.Levels) {
					free -= solve.HeldOf(v.Levels[lowest].Bound, pool, r)
				}
			}
			if asked := taken(&c.Levels[l], at, pool, r); asked > 0 && asked > free {
				return false
			}
		}
	}
	return true
}

// Weights are those of all nodes by name: declared, that counts, and the guarantee that holds.
func (i *Inside) Weights() map[string]Weight {
	all := map[string]Weight{}
	for k := range i.p.Nodes[1:] {
		n := i.p.Nodes[1+k]
		all[n.Name] = Weight{n.Declared, n.Weight, n.Floor}
	}
	return all
}

// Weight is a weight as it is declared, and as it counts.
type Weight struct {
	Declared, Counts int64
	Floor            []int64
}
