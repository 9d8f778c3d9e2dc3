package follow

import (
	"math"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
)

// retryable selects the applications that were pending in the last pass and may
// fit now. Each waits for its lowest level to fit, and that needs a pool in which
// as much is free as it asks for, or would be if every application gave way that might. As
// long as no pool has that, nothing can be decided about it that was not decided
// before, and it is passed over.
type retryable struct {
	*solve.Case
	stretches [][]stretch // by node, then place in its pending list: the stretch of applications that are alike from there

	// What might be taken from others is counted once in a pass, before pending
	// applications are served, and can only become less while they are.
	taken map[solve.Standing][]solve.Vector // by pool: what applications hold whose worst part is of a class and a band
	least []int                             // by node: the lowest priority of running applications
	room  map[prospect][]solve.Vector       // by pool: what applications might take of other tenants
}

// stretch is a part of a line of applications that are alike but for how long they take. Of what is kept for others no more is free to one that
// takes longer, so if the one that takes least is inadmissible, all are.
type stretch struct {
	end   int
	least *solve.App
}

// prospect is what applications have in common that might take the same: their class and
// band, and how far policy lets them preempt others.
type prospect struct {
	solve.Standing
	allowed solve.Reach
}

// Tried reports at and below which nodes an application might get something, nil: at all.
// The others need not queue, as passing over them leaves no trace. If one application
// might preempt others, all queue, as some of what is given up may be left over.
// Tenants of one group queue together, as even a tenant that gets nothing affects
// the order of groups.
func (r *retryable) Tried() []bool {
	r.countTaken()
	if r.Timed {
		return nil // the first of a line that is not served may be promised room
	}
	tried, everybody := make([]bool, len(r.Nodes)), false
	for i, pending := range r.Pending {
		r.divide(i)
		for at := 0; at < len(pending); at = r.stretches[i][at].end {
			app := pending[at]
			if r.inadmissible(app) {
				continue
			}
			tried[r.Top(i)] = true
			everybody = everybody || r.fromOwn(app) != nil || r.fromOthers(app) != nil
		}
	}
	if everybody {
		return nil
	}
	for i := range tried {
		tried[i] = tried[i] || i > 0 && tried[r.Top(i)]
	}
	return tried
}

// Next returns the first place at or after at that is to be tried. It passes over
// applications that are inadmissible and would be served one right after the other.
func (r *retryable) Next(tenant, at int) int {
	r.divide(tenant)
	pending := r.Pending[tenant]
	first := pending[at]
	if !r.inadmissible(first) {
		return at
	}
	for at = r.after(tenant, at); at < len(pending); at = r.after(tenant, at) {
		app, base := pending[at], pending[at].Base()
		if base.Class != first.Base().Class || base.Band != first.Base().Band || !app.Levels[0].Total.Fits(first.Levels[0].Total) || !r.inadmissible(app) {
			break
		}
	}
	return at
}

// after is the place after an application that is inadmissible and those after it that are so with it.
func (r *retryable) after(tenant, at int) int {
	if s := r.stretches[tenant][at]; r.inadmissible(s.least) {
		return s.end
	}
	return at + 1
}

// forget must be called when the pending list of a tenant changed, or what is known
// about its applications.
func (r *retryable) forget(tenant int) { r.stretches[tenant] = nil }

// countTaken counts what running applications hold and might have to give up.
func (r *retryable) countTaken() {
	r.taken, r.room, r.least = map[solve.Standing][]solve.Vector{}, map[prospect][]solve.Vector{}, slices.Repeat([]int{math.MaxInt}, len(r.Nodes))
	for _, app := range r.Running {
		if !app.Granted() || app.Standing == nil {
			continue
		}
		r.least[app.Tenant] = min(r.least[app.Tenant], app.Priority)
		key := solve.Standing{Class: app.Worst(app.Level).Class, Band: app.Band}
		if r.taken[key] == nil {
			r.taken[key] = r.byPool()
		}
		for _, l := range app.Taken {
			r.taken[key][l.Pool].Add(l.Amount)
		}
	}
}

// byPool returns a zero amount for each pool.
func (r *retryable) byPool() []solve.Vector {
	v := make([]solve.Vector, len(r.Pools))
	for i := range v {
		v[i] = r.Zero()
	}
	return v
}

// divide divides the pending list of a tenant into stretches.
func (r *retryable) divide(tenant int) {
	pending := r.Pending[tenant]
	if r.stretches[tenant] != nil || len(pending) == 0 {
		return
	}
	list := make([]stretch, len(pending))
	for at, app := range slices.Backward(pending) {
		if list[at] = (stretch{at + 1, app}); at+1 < len(pending) && r.alike(app, pending[at+1]) {
			list[at].end = list[at+1].end
			if least := list[at+1].least; least.Ending.Lasts < app.Ending.Lasts {
				list[at].least = least
			}
		}
	}
	r.stretches[tenant] = list
}

// alike reports whether two applications of a tenant want the same and may preempt the
// same, and whether of both or neither it is known how long they take.
func (r *retryable) alike(x, y *solve.App) bool {
	xl, yl := &x.Levels[len(x.Levels)-1], &y.Levels[len(y.Levels)-1]
	return !alwaysTried(x) && !alwaysTried(y) && x.Variants == nil && y.Variants == nil && !xl.Gathers() && !yl.Gathers() && (x.Ending.Lasts > 0) == (y.Ending.Lasts > 0) && x.Policy().Backfill == y.Policy().Backfill && x.Base() == y.Base() && solve.Preemption(x.Policy()) == solve.Preemption(y.Policy()) &&
		slices.Equal(x.Levels[0].Total, y.Levels[0].Total) && slices.Equal(xl.Loose, yl.Loose) &&
		slices.EqualFunc(xl.Bound, yl.Bound, func(a, b solve.Load) bool { return a.Pool == b.Pool && slices.Equal(a.Amount, b.Amount) }) &&
		!r.reservedAlone(x) && !r.reservedAlone(y)
}

// alwaysTried reports whether nothing is known that keeps an application from fitting: it
// was never tried, or free capacity may be reserved for it.
func alwaysTried(app *solve.App) bool { return app.Short == nil || app.Policy().ReserveAfter > 0 }

// reservedAlone reports whether a pool is reserved in part for this application alone.
func (r *retryable) reservedAlone(app *solve.App) bool {
	for i := range r.Pools {
		for _, v := range r.Pools[i].Reservations {
			if v.App == app.ID {
				return true
			}
		}
	}
	return false
}

// fromOthers is the most that an application might take of other tenants, by pool, nil
// for nothing. It is generous: of the conditions of preemption it checks only classes and
// bands.
func (r *retryable) fromOthers(app *solve.App) []solve.Vector {
	s, allowed := app.Base(), min(solve.Preemption(&r.Fleet.Platform.Policy), solve.Preemption(app.Policy()))
	if solve.MayExceed(&r.Fleet.Platform.Policy, r.Books, app, r.Now) {
		s.Class = solve.WithinFairShare
	}
	if allowed < solve.Reclaim || s.Class > solve.WithinFairShare && allowed < solve.AnyBand {
		return nil
	}
	s.Priority = 0
	key := prospect{s, allowed}
	room, ok := r.room[key]
	if ok {
		return room
	}
	for v, taken := range r.taken {
		switch {
		case v.Class == solve.WithinGuarantee:
		case s.Class == solve.WithinGuarantee, s.Class == solve.WithinFairShare && s.Band <= v.Band, allowed == solve.AnyBand && s.Band < v.Band:
			if room == nil {
				room = r.byPool()
			}
			for i := range room {
				room[i].Add(taken[i])
			}
		}
	}
	r.room[key] = room
	return room
}

// fromOwn is the most that an application might take within its tenant, nil for nothing.
func (r *retryable) fromOwn(app *solve.App) solve.Vector {
	if r.least[app.Tenant] >= app.Priority || solve.Preemption(app.Policy()) < solve.WithinTenant {
		return nil
	}
	return r.Nodes[app.Tenant].Used
}

// inadmissible reports whether an application is sure to get nothing now: neither of what
// is free nor of what others would give up.
func (r *retryable) inadmissible(app *solve.App) bool {
	if alwaysTried(app) {
		return false
	}
	return !slices.ContainsFunc(app.Variants.Lowest(app.Levels), func(least *solve.Level) bool { return r.mayFit(app, least) })
}

// mayFit reports whether a level might get what is free, or what others would give up.
func (r *retryable) mayFit(app *solve.App, least *solve.Level) bool {
	others, own := r.fromOthers(app), r.fromOwn(app)
	for _, l := range least.Bound {
		if !r.reaches(app, l.Pool, l.Amount, others, own) {
			return false
		}
	}
	if least.Loose == nil {
		return true
	}
	for at := range r.Pools {
		if r.reaches(app, at, least.Loose, others, own) {
			return true
		}
	}
	return false
}

// reaches reports whether an amount is free in a pool, or would be if others gave
// up so much.
func (r *retryable) reaches(app *solve.App, pool int, amount solve.Vector, others []solve.Vector, own solve.Vector) bool {
	for i, n := range amount {
		if n == 0 {
			continue
		}
		free := r.Pools[pool].Free(app, i)
		if others != nil {
			free += others[pool][i]
		}
		if own != nil {
			free += own[i]
		}
		if n > free {
			return false
		}
	}
	return true
}
