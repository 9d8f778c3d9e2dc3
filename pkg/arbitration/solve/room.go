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
	now      time.Time
	ranking  *ranking // see ranked
}

// room returns the search for room among the applications of the case as they are now.
func (c *Case) room() room {
	return room{Books: c.Books, Roster: c.Roster, platform: &c.Fleet.Platform.Policy, now: c.Now, ranking: c.ranking}
}

// need is how much of one shortage must become free for an application to fit.
type need struct {
	Shortage
	amount int64
}

// plan is a way to make room.
type plan struct {
	moves []move
	level int // that the application gets
	at    int // the pool of its loose components
}

// move is what one application gives up in a plan.
type move struct {
	option *option
	to     int // the level that it is degraded to, -1: it is evicted
}

func (pl *plan) evictions() (n int) {
	for _, m := range pl.moves {
		if m.to < 0 {
			n++
		}
	}
	return n
}

// best is the plan that makes room for an application, nil if there is none.
// Degradation comes before eviction; of the levels that the application could get,
// the one that evicts fewest others is taken, and of these the best.
func (r *room) best(app *App, spec *model.Application, levels []Level, kept []Load) (best *plan) {
	for level := range levels {
		for _, at := range r.Preferred(app, spec, &levels[0]) {
			pl := r.plan(app, levels, level, at, kept)
			if pl != nil && (best == nil || pl.evictions() < best.evictions()) {
				best = pl
			}
		}
	}
	return best
}

// plan finds the least that others must give up so that a level fits, nil if
// nothing suffices.
func (r *room) plan(app *App, levels []Level, level, at int, kept []Load) *plan {
	needs := r.needs(app, &levels[level], at, kept)
	if len(needs) == 0 {
		return nil // it fits, or cannot
	}
	options := r.options(app, app.Worst(level), needs)
	for {
		moves := choose(options, needs)
		if moves == nil {
			return nil
		}
		spared := r.review(app, levels, level, at, kept, moves)
		if spared == nil {
			return &plan{moves: moves, level: level, at: at}
		}
		options = slices.DeleteFunc(options, func(o *option) bool { return o == spared })
	}
}

// review checks a plan after all that was done to make it small. The plan is good
// if every part that is given up stands worse than every part that is gained, so
// that the outcome is strictly better; if no tenant loses to another one what it
// needs to have its guarantee or fair share; and if the application then fits. If
// not, review returns the option to do without.
func (r *room) review(app *App, levels []Level, level, at int, kept []Load, moves []move) (spared *option) {
	gained := app.Worst(level)
	order := slices.Clone(moves)
	slices.SortFunc(order, func(x, y move) int {
		return cmp.Or(y.option.least.Compare(x.option.least), FirstCome(y.option.app, x.option.app))
	})
	before := make([][]Load, 0, len(order))
	for _, m := range order {
		v, to := m.option.app, m.to
		if to < 0 {
			to = len(v.Levels)
		}
		for l := v.Level; l < to; l++ {
			if !r.mayPreempt(app, gained, v, v.Standing[l]) {
				spared = m.option
			}
		}
		if spared != nil {
			break
		}
		before = append(before, r.Release(v))
		if m.to >= 0 {
			r.take(v, v.Levels[m.to].loads(v.pool))
		}
	}
	if spared == nil {
		if _, short := r.fit(app, &levels[level], at, kept); short != nil {
			spared = order[len(order)-1].option
		}
	}
	for i := range before {
		if order[i].to >= 0 {
			r.Release(order[i].option.app)
		}
		r.take(order[i].option.app, before[i])
	}
	return spared
}

// needs lists what is short for a level, nil if it fits or giving way cannot help.
func (r *room) needs(app *App, l *Level, at int, kept []Load) (needs []need) {
	_, short := r.fit(app, l, at, kept)
	for _, s := range short {
		if s.Resource < 0 || s.Quota {
			return nil // too few domains with room: giving way in amounts does not help surely; nobody gives way for a quota
		}
		needs = append(needs, need{s, s.Asked - s.Free})
	}
	if len(needs) > 0 && needs[0].Pool >= 0 && r.limited {
		for _, s := range r.limits(app.Tenant, l.Total, r.sum(kept)) {
			needs = append(needs, need{s, s.Asked - s.Free})
		}
	}
	return needs
}

// mayPreempt reports whether a part of an application with standing s may take the
// place of a part of v with standing z, which must stand worse.
//
//   - Within a tenant, by a higher priority, where the policies of both allow it.
//   - Across tenants, what is within a guarantee takes what is not; what is within
//     a fair share takes what another tenant borrows, in the same or a lower band;
//     and, where policy says any, a higher band takes from a lower one. Never what
//     is within a guarantee, nor from a tenant that has no more than its guarantee.
//     What may be taken from a tenant is the platform's policy: no tenant keeps what
//     it borrowed by its own policy.
func (r *room) mayPreempt(app *App, s Standing, v *App, z Standing) bool {
	if s.Compare(z) >= 0 {
		return false
	}
	if app.Tenant == v.Tenant {
		return s.Priority > z.Priority && Preemption(app.Policy()) >= WithinTenant && Preemption(v.Policy()) >= WithinTenant
	}
	allowed := min(Preemption(r.platform), Preemption(app.Policy()))
	n := &r.Nodes[v.Tenant]
	switch {
	case z.Class == WithinGuarantee || allowed < Reclaim || n.Used.Fits(n.Floor):
		return false
	case s.Class == WithinGuarantee:
		return true
	case s.Class == WithinFairShare && z.Class == Borrowing && s.Band <= z.Band && n.Used.Dominant(r.Total) > n.FairShare+Slack:
		return true
	}
	return allowed == AnyBand && s.Band < z.Band
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
	switch policy.Preemption {
	case model.PreemptionWithinTenant:
		return WithinTenant
	case model.PreemptionReclaim:
		return Reclaim
	case model.PreemptionAny:
		return AnyBand
	}
	return Never
}

// protected reports whether an incumbent has not run for the minimum time that
// policy gives it.
func (r *room) protected(v *App) bool {
	least := v.Policy().MinRuntime
	return least > 0 && r.now.Sub(v.Started()) < least
}
