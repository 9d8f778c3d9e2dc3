package solve

import (
	"slices"
	"time"
)

// option is an incumbent that may give way: how far down its levels, and what that
// frees of each need.
type option struct {
	app    *App
	lowest int      // the lowest level that it may be degraded to, its own if none
	evict  bool     // it may be evicted
	least  Standing // of its minimum
	alike  bool     // it is of another tenant and stands as what it would give way to
	gains  []Vector // by level below its own down to lowest, what becomes free of each need
	all    Vector   // what becomes free when it is evicted
}

// degraded is what becomes free of each need at the lowest level, nil if that is its own.
func (o *option) degraded() Vector {
	if len(o.gains) == 0 {
		return nil
	}
	return o.gains[len(o.gains)-1]
}

// options lists the incumbents that may give way and free something
// that is needed: first in the same tenant, then all others that stand worse,
// or alike where the search goes that deep, worst first.
func (r *room) options(d *search, needs []need) []*option {
	w, app, s := r.ranked(), d.app, d.counts
	var found []*option
	look := func(at *ranked) {
		*r.looked++
		v := at.app
		if r.now.Before(at.protected) || v == app || !v.Granted() || len(v.Taken) == 0 || d.exceeds && v.Tenant != app.Tenant && !r.mayLose(d, v) {
			return
		}
		if o := r.option(d, v, needs); o != nil {
			found = append(found, o)
		}
	}
	if Preemption(app.Policy()) >= WithinTenant {
		for _, v := range w.own[app.Tenant] {
			look(v)
		}
	}
	if d.allowed < Reclaim || (!d.below || s.Class > WithinFairShare) && d.allowed < AnyBand {
		return found
	}
	s.Priority = 0
	for i := range w.all {
		at := w.all[i].worst
		if at.Priority = 0; at.Compare(s) < 0 || !d.deep && at.Compare(s) == 0 {
			break // all that follow stand as well or better
		}
		if v := w.all[i].app; v.Tenant != app.Tenant {
			look(&w.all[i])
		}
	}
	return found
}

// ranking lists the incumbents, those with the worst part first; of equal ones the
// youngest. It is not sorted again when some of them give way: that only makes the
// worst part of what is left better.
type ranking struct {
	all []ranked
	own [][]*ranked // by tenant
}

// ranked is an incumbent as it was when the list was made.
type ranked struct {
	app       *App
	worst     Standing  // of its parts
	protected time.Time // until then others take nothing from it, zero: they may
}

// ranked returns the ranking, and makes it when it is first needed.
func (r *room) ranked() *ranking {
	if r.ranking != nil {
		return r.ranking
	}
	w := &ranking{all: make([]ranked, 0, len(r.Running)), own: make([][]*ranked, len(r.Nodes))}
	for _, app := range slices.Backward(firstCome(r.Apps)) {
		if r.mayGiveWay(app) {
			w.all = append(w.all, ranked{app, app.Worst(app.Level), r.ProtectedUntil(app)})
		}
	}
	slices.SortStableFunc(w.all, func(x, y ranked) int { return y.worst.Compare(x.worst) })
	for i := range w.all {
		v := &w.all[i]
		w.own[v.app.Tenant] = append(w.own[v.app.Tenant], v)
	}
	r.ranking = w
	return w
}

// mayGiveWay reports whether an application is one of those that run and may be preempted.
func (a *Roster) mayGiveWay(app *App) bool {
	return app.slot >= 0 && app.Granted() && app.Standing != nil && !app.Unusable.Damaged()
}

// option finds out how far an incumbent may give way, nil if not at all.
func (r *room) option(d *search, v *App, needs []need) *option {
	kept := v.Level // the best level of which nothing may be taken
	for kept < len(v.Levels) && r.mayPreempt(d, v, v.Standing[kept]) {
		kept++
	}
	if kept == v.Level {
		return nil
	}
	before := r.frees(v, nil, needs)
	if before.isNothing() {
		return nil
	}
	o := &option{app: v, lowest: min(kept, len(v.Levels)-1), evict: kept == len(v.Levels), least: v.Base(), alike: v.Tenant != d.app.Tenant && v.Base().Class <= WithinFairShare && v.Band == d.standing.Band}
	o.gains = r.gains(v, o.lowest, before, needs)
	if o.evict {
		o.all = before
	}
	if !o.evict && !slices.ContainsFunc(o.gains, func(g Vector) bool { return !g.isNothing() }) {
		return nil
	}
	return o
}

// gains is what becomes free of each need at every level of an incumbent below its own
// down to lowest. Held is what it takes now.
func (r *room) gains(v *App, lowest int, held Vector, needs []need) (gains []Vector) {
	for l := v.Level + 1; l <= lowest; l++ {
		gain := slices.Clone(held)
		gain.sub(r.frees(v, &v.Levels[l], needs))
		for i := range gain {
			gain[i] = max(0, gain[i])
		}
		gains = append(gains, gain)
	}
	return gains
}

// frees is what an incumbent takes of each need: at the given level, or as it is.
func (r *room) frees(v *App, l *Level, needs []need) Vector {
	takes := make(Vector, len(needs))
	for i, n := range needs {
		switch {
		case n.Gang != nil && l == nil:
			takes[i] = insideOf(v.Taken, n.Pool, n.Gang.In, n.Resource)
		case n.Gang != nil:
			takes[i] = insideOf(l.of(v), n.Pool, n.Gang.In, n.Resource)
		case n.Quota && !r.Above(n.Node, v.Tenant):
		case n.Pool >= 0 && l == nil:
			takes[i] = HeldOf(v.Taken, n.Pool, n.Resource)
		case n.Pool >= 0:
			takes[i] = l.takes(v.pool, n.Pool, n.Resource)
		case !r.Above(n.Node, v.Tenant):
		case l == nil:
			takes[i] = r.sum(v.Taken)[n.Resource]
		default:
			takes[i] = l.Total[n.Resource]
		}
	}
	return takes
}
