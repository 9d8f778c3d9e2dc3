package solve

import "slices"

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
	r.ranked()
	app, s := d.app, d.counts
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
		own := r.own(app.Tenant)
		for i := range own {
			look(&own[i])
		}
	}
	if d.allowed < Reclaim || (!d.below || s.Class > WithinFairShare) && d.allowed < AnyBand {
		return found
	}
	s.Priority = 0
	all := r.all()
	for i := range all {
		at := all[i].worst
		if at.Priority = 0; at.Compare(s) < 0 || !d.deep && at.Compare(s) == 0 {
			break // all that follow stand as well or better
		}
		if all[i].app.Tenant != app.Tenant {
			look(&all[i])
		}
	}
	return found
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
