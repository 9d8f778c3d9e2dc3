package solve

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// room finds who gives way for an application. It books nothing.
type room struct {
	*Books
	*Roster
	platform *model.Policy
	bands    int // that the platform names; what is below them is one more
	now      time.Time
	ranking  *ranking
	looked   *int // at how many applications that might give way
}

// room returns the search for room among the applications of the case as they are now.
func (c *Case) room() room {
	return room{Books: c.Books, Roster: c.Roster, platform: &c.Fleet.Platform.Policy, bands: len(c.Fleet.Platform.Bands), now: c.Now, ranking: c.ranking, looked: new(int)}
}

// need is how much of one shortage must become free for an application to fit.
type need struct {
	Shortage
	amount int64
}

// preemptor is an application for which others may give way, and the levels that it may
// gain: those above the one that it holds.
type preemptor struct {
	app  *App
	kept []Load // that it holds, and keeps until it has more
	from int    // the level that kept reaches, one below the lowest if none

	exceeds bool // it may take from other tenants though it exceeds the fair share of its own; see Taking
}

// found is the place that was found for an application.
type found struct {
	level int        // that it may have, -1: none
	at    int        // the pool of its loose components
	loads []Load     // that it then takes, where nobody gives way
	plan  *plan      // of who gives way, nil: nobody
	short []Shortage // for more than that

	variant int // of an application with flavours
	passed  []Passed
}

// find looks for a place for a spec in each flavour of the application, or where it names: on the best level at which one is
// free, or others give way for one. A later flavour is taken if no earlier one is free or, where policy says so, if nobody gives
// way for an earlier one either. It changes nothing.
func (r *room) find(app *App, spec *model.Application, kept []Load) (f found) {
	levels, flavour, ways := app.Levels, app.flavour, app.Variants
	defer func() { app.Levels, app.flavour = levels, flavour }()
	if ways == nil {
		ways = Variants{{flavour, levels, true}}
	}
	preferred, takers := make([][]int, len(ways)), make([]*preemptor, len(ways))
	for i := range ways {
		ways.enter(app, i)
		preferred[i], takers[i] = r.Preferred(app, spec, &app.Levels[0]), r.preemptor(app, kept)
	}
	best := func(i, l int) *plan {
		if !ways[i].claims {
			return nil
		}
		return r.best(takers[i], l, preferred[i])
	}
	for l := range levels {
		var passed []Passed
		for i := range ways {
			ways.enter(app, i)
			var lacks []Shortage // of the place that is preferred
			for k, at := range preferred[i] {
				loads, short := r.fit(app, &app.Levels[l], at, kept)
				if short == nil {
					return found{level: l, at: at, loads: loads, variant: i, short: f.short, passed: passed}
				}
				if k == 0 {
					lacks = short
				}
			}
			if len(ways) > 1 && spec.Policy.Flavours == model.FlavoursMakeRoomFirst {
				if pl := best(i, l); pl != nil {
					return found{level: l, at: pl.at, plan: pl, variant: i, short: f.short, passed: passed}
				}
			}
			passed = append(passed, Passed{app.flavour, lacks, nil})
		}
		if f.passed = passed; f.short == nil {
			f.short = passed[0].Short
		}
		for i := range ways {
			ways.enter(app, i)
			if pl := best(i, l); pl != nil {
				return found{level: l, at: pl.at, plan: pl, variant: i, short: f.short, passed: passed[:i]}
			}
		}
	}
	return found{level: -1, short: f.passed[0].Short, passed: f.passed}
}

// preemptor returns an application that holds kept.
func (b *Books) preemptor(app *App, kept []Load) *preemptor {
	c := &preemptor{app: app, kept: kept, from: len(app.Levels)}
	for l := range app.Levels {
		if level := &app.Levels[l]; level.Loose == nil && len(kept) > 0 && within(level.Bound, kept) {
			c.from = l
			break
		}
	}
	return c
}

// within reports whether loads take no more than others.
func within(loads, others []Load) bool {
	return !slices.ContainsFunc(loads, func(l Load) bool {
		return !l.Amount.all(func(r int, n int64) bool { return n <= HeldOf(others, l.Pool, r) })
	})
}

// standing is that of the weakest part that the application gains at a level.
func (c *preemptor) standing(level int) Standing {
	return slices.MaxFunc(c.app.Standing[level:c.from], Standing.Compare)
}

// priority is the lowest of the parts that the application gains at a level.
func (c *preemptor) priority(level int) int {
	least := c.app.Priority
	for _, s := range c.app.Standing[level:c.from] {
		least = min(least, s.Priority)
	}
	return least
}

// plan is a way to make room.
type plan struct {
	moves []move
	level int   // that the application gets
	at    int   // the pool of its loose components
	cause Cause // why it may take from other tenants

	inside string // the domain of its gang
}

// move is what one application gives up in a plan.
type move struct {
	option *option
	to     int // the level that it is degraded to, -1: it is evicted
}

// lost returns the parts that the application gives up, as a range of levels.
func (m *move) lost() (from, to int) {
	if m.to < 0 {
		return m.option.app.Level, len(m.option.app.Levels)
	}
	return m.option.app.Level, m.to
}

func (pl *plan) evictions() (n int) {
	for _, m := range pl.moves {
		if m.to < 0 {
			n++
		}
	}
	return n
}

// best is the plan that makes room for a level of an application, nil if there is none.
// Degradation comes before eviction; of the pools that it could run in, the one is
// taken in which fewest others are evicted.
func (r *room) best(c *preemptor, level int, pools []int) (best *plan) {
	if level >= c.from {
		return nil // it has that much
	}
	for _, at := range pools {
		for _, c.app.inside = range r.domainsFor(c, level, at) {
			if pl := r.plan(c, level, at); pl != nil && (best == nil || pl.evictions() < best.evictions()) {
				best = pl
			}
		}
	}
	c.app.inside = ""
	return best
}

// plan finds the least that others must give up so that a level fits, nil if
// nothing suffices. It first looks among those that stand worse, and only if these do
// not suffice among those of other tenants that stand alike.
func (r *room) plan(c *preemptor, level, at int) *plan {
	needs := r.needs(c, level, at)
	if len(needs) == 0 {
		return nil // it fits, or cannot
	}
	d := r.search(c, level)
	for {
		options := r.options(d, needs)
		if pl := r.attempt(d, level, at, options, needs, attemptsOf(len(options))); pl != nil {
			return pl
		}
		if d.deep || !d.below || d.counts.Class != WithinFairShare || d.allowed < Reclaim {
			return nil
		}
		d.deep = true
	}
}

// review checks a plan after all that was done to make it small. The plan is good
// if every part may be taken, if the application then fits, and if the outcome is fairer
// where another tenant loses something; see fairness.go. If not, review returns the
// option to do without.
func (r *room) review(d *search, level, at int, moves []move) (why Cause, spared *option) {
	c := d.preemptor
	order := slices.Clone(moves)
	slices.SortFunc(order, func(x, y move) int {
		return cmp.Or(y.option.least.Compare(x.option.least), FirstCome(y.option.app, x.option.app))
	})
	scale := r.weigh(d, level, order)
	before := make([][]Load, 0, len(order))
	for _, m := range order {
		v := m.option.app
		for l, to := m.lost(); l < to; l++ {
			if !r.mayPreempt(d, v, v.Standing[l]) {
				spared = m.option
			}
		}
		if spared != nil {
			break
		}
		before = append(before, r.Release(v))
		if m.to >= 0 {
			r.take(v, v.Levels[m.to].of(v))
		}
	}
	d.short = nil
	if spared == nil {
		if loads, short := r.fit(c.app, &c.app.Levels[level], at, c.kept); short != nil {
			d.short = short
			spared = order[len(order)-1].option
		} else if scale != nil {
			r.take(c.app, loads)
			why, spared = scale.verdict()
			r.Release(c.app)
		}
	}
	for i := range before {
		if order[i].to >= 0 {
			r.Release(order[i].option.app)
		}
		r.take(order[i].option.app, before[i])
	}
	return why, spared
}

// needs lists what is short for a level, nil if it fits or giving way cannot help.
func (r *room) needs(c *preemptor, level, at int) (needs []need) {
	l := &c.app.Levels[level]
	_, short := r.fit(c.app, l, at, c.kept)
	for _, s := range short {
		if s.Resource < 0 || s.Quota && s.Pool < 0 {
			return nil // too few domains with room: giving way in amounts does not help surely; nobody gives way for a quota
		}
		needs = append(needs, need{s, s.Asked - s.Free})
	}
	if len(needs) > 0 && needs[0].Pool >= 0 && r.limited {
		for _, s := range r.limits(c.app.Tenant, l.Total, r.sum(c.kept)) {
			needs = append(needs, need{s, s.Asked - s.Free})
		}
	}
	return needs
}

// mayPreempt reports whether what is gained may take the place of a part of v with
// standing z.
//
//   - Within a tenant, by a higher priority that stands better, where the policies of both
//     allow it.
//   - Across tenants, what is within a guarantee or fair share, of a tenant that has less
//     than that, takes what stands worse, and a fair share also what stands alike; whether
//     the outcome is fairer is for review to say. Where policy says any, a higher band
//     takes from a lower one. Never what is within a guarantee, nor from a tenant or a
//     group that has no more than its guarantee. What may be taken from a tenant is the
//     platform's policy: no tenant keeps what it borrowed by its own policy.
func (r *room) mayPreempt(d *search, v *App, z Standing) bool {
	s, app := d.standing, d.app
	if app.Tenant == v.Tenant {
		return s.Compare(z) < 0 && d.priority > z.Priority && app.Priority > v.Priority &&
			Preemption(app.Policy()) >= WithinTenant && Preemption(v.Policy()) >= WithinTenant
	}
	if z.Class == WithinGuarantee || d.allowed < Reclaim || r.sheltered(app.Tenant, v.Tenant) {
		return false
	}
	switch {
	case d.below && d.counts.Class == WithinGuarantee:
		return true
	case d.below && d.counts.Class == WithinFairShare && s.Band <= z.Band && (z.Class == Borrowing || d.deep):
		return true
	}
	return d.allowed == AnyBand && s.Band < z.Band
}

// sheltered reports whether a tenant, or a group of it that the taker is not in, has no
// more than its guarantee.
func (r *room) sheltered(taker, victim int) bool {
	for i := victim; i > 0 && !r.Above(i, taker); i = r.Nodes[i].Parent {
		if n := r.Nodes[i]; n.Used.Fits(n.Floor) {
			return true
		}
	}
	return false
}

// Reach is how far policy lets applications preempt others.
type Reach int

const (
	Never Reach = iota
	WithinTenant
	Reclaim
	AnyBand
)

// Preemption returns how far a policy lets applications preempt others.
func Preemption(policy *model.Policy) Reach {
	return Reach(max(0, slices.Index(reaches, policy.Preemption)))
}

// reaches are what policies say, in the same order.
var reaches = []model.Preemption{model.PreemptionNone, model.PreemptionWithinTenant, model.PreemptionReclaim, model.PreemptionAny}
