package solve

import "slices"

// serving serves those that wait, and restores those that run degraded.
type serving struct {
	*journal
	waiting   *Waiting
	allotment allotment
	below     []bool // by tenant, whether it may take from others
	free      Vector // of all pools
	otherwise bool   // what runs of the tenant of the journal stands otherwise
	heads     int
	took      []taken
	kept      bool // room is kept for somebody who waits, or promised to him
}

// taken is an application that took something in a trial, and what it had before.
type taken struct {
	app   *App
	level int
	loads []Load
}

// mostServed bounds the work of one trial, in applications that are looked at.
const mostServed = 12_000

// serve serves those that may get something, and then restores those that run degraded and are concerned, until somebody has to give way, or it
// is not known what those get that come after.
func (s *serving) serve(o *Served, concerned func(*App) bool) {
	o.served, o.passed, o.raised = map[*App][]*Displaced{}, map[*App]bool{}, map[*App]Trial{}
	defer s.putBack()
	if o.known = s.updatesStay(); o.known && s.fill(o) {
		s.restore(o, concerned)
	}
}

// updatesStay reports whether no newer spec fits that did not: these are served before those that wait. Where that is much to look at it
// says no.
func (s *serving) updatesStay() bool {
	return !slices.ContainsFunc(s.waiting.unsettled, func(app *App) bool {
		if app.declined == nil {
			return false
		}
		held := s.Release(app)
		was := *app
		app.Levels, app.Standing, app.before = app.declined.levels, app.declined.standing, app.declined.before
		s.heads++
		f := s.allotment.find(app, app.Wanted, held)
		*app = was
		s.take(app, held)
		return f.level >= 0 || *s.allotment.looked > mostServed
	})
}

// takes gives an application in a trial what it would get: a level of it, if it runs.
func (s *serving) takes(app *App, level int, loads []Load) {
	s.took = append(s.took, taken{app, app.Level, app.Taken})
	if app.Taken != nil {
		s.Release(app)
	}
	app.Level = level
	s.take(app, loads)
}

// putBack undoes that.
func (s *serving) putBack() {
	for _, t := range slices.Backward(s.took) {
		s.Release(t.app)
		if t.app.Level = t.level; t.loads != nil {
			s.take(t.app, t.loads)
		}
	}
}

// restore gives those that run degraded what they may get again.
func (s *serving) restore(o *Served, concerned func(*App) bool) {
	for _, app := range s.degraded(concerned) {
		if !s.allotment.due(app) {
			continue
		}
		if s.heads++; s.heads+*s.allotment.looked > mostServed {
			return
		}
		held := s.Release(app)
		level, loads, pl := s.allotment.higher(app, held)
		s.take(app, held)
		if o.raised[app] = (Trial{Granted: level == 0}); pl != nil {
			o.raised[app] = Trial{Granted: level == 0, Victims: displaced(pl, app)}
			return
		}
		if level >= 0 {
			s.takes(app, level, loads)
		}
		if slices.ContainsFunc(loads, func(l Load) bool { return len(s.Pools[l.Pool].domains) > 0 }) {
			return
		}
	}
}

// fill serves those that wait. It reports whether it is known what is left for those that run degraded.
func (s *serving) fill(o *Served) bool {
	q := newQueue(s.Books, s.Roster, s)
	own := &q.lines[s.tenant]
	for app := q.head(); app != nil; app = q.head() {
		if s.Nodes[s.tenant].Tenant != nil && own.next >= len(own.waiting) {
			o.tenant = s.tenant // what others get is not asked
			return !s.kept      // they get nothing, as before, but room may be kept for them
		}
		if q.skip(app) {
			continue
		}
		if s.heads++; s.heads+*s.allotment.looked > mostServed || s.otherwise && app.Tenant != s.tenant && s.below[app.Tenant] {
			return false
		}
		q.advance(app)
		f := s.allotment.find(app, app.Spec, nil)
		switch {
		case f.level < 0 && (s.Timed || patient(s.Now, app) && s.Nodes[app.Tenant].exceeds.app == app):
			return false // it may be promised something, or take though it exceeds the fair share
		case f.level < 0:
			if o.passed[app] = true; patient(s.Now, app) {
				s.allotment.reserveFree(app)
			}
			continue
		case f.plan != nil:
			o.served[app] = displaced(f.plan, app)
			return false
		}
		o.served[app] = nil
		if app.Variants != nil || app.Ending.known() || slices.ContainsFunc(f.loads, func(l Load) bool { return len(s.Pools[l.Pool].domains) > 0 }) {
			return false
		}
		s.takes(app, app.Level, f.loads)
		s.free = nil
		q.moved(app.Tenant)
	}
	o.ended = true
	return true
}

// Tried lists the tenants of which something may get a place.
func (s *serving) Tried() []bool {
	tried := make([]bool, len(s.Nodes))
	reach := Preemption(&s.Fleet.Platform.Policy)
	for i := range s.Nodes {
		if len(s.Pending[i]) > 0 {
			s.below[i] = reach == AnyBand || reach == Reclaim && s.Below(i)
			tried[i] = s.Timed || s.mayGetSome(i) && slices.ContainsFunc(s.Pending[i], s.mayGet)
		}
	}
	return tried
}

// Next returns the next that may get a place.
func (s *serving) Next(tenant, at int) int {
	if !s.Timed && !s.mayGetSome(tenant) {
		return len(s.Pending[tenant])
	}
	for at < len(s.Pending[tenant]) && !s.Timed && !s.mayGet(s.Pending[tenant][at]) {
		at++
	}
	return at
}

// mayGetSome reports whether anything of a tenant may get a place, or have something reserved.
func (s *serving) mayGetSome(tenant int) bool {
	l := s.waiting.line(tenant)
	if s.free == nil {
		s.free = s.Zero()
		for i := range s.Pools {
			for r := range s.free {
				s.free[r] += max(0, s.Pools[i].Offered[r]-s.Pools[i].Used[r])
			}
		}
	}
	return l.otherwise || s.below[tenant] || l.highest > l.lowest || l.least.Fits(s.free)
}

// mayGet reports whether an application may fit in what is free, or others may give way for it, or something be reserved for it.
func (s *serving) mayGet(app *App) bool {
	least := &app.Levels[len(app.Levels)-1]
	switch {
	case app.Variants != nil, s.below[app.Tenant], s.waiting.line(app.Tenant).lowest < app.Priority:
		return true
	case patient(s.Now, app) && slices.ContainsFunc(s.Pools, func(q *Pool) bool { return q.hasSome(least.Total) }):
		return true
	}
	for _, l := range least.Bound {
		if !s.Pools[l.Pool].mayFit(l.Amount) {
			return false
		}
	}
	return least.Loose == nil || slices.ContainsFunc(s.Pools, func(q *Pool) bool { return q.mayFit(least.Loose) })
}

// mayFit reports whether an amount is no more than what nobody was granted.
func (q *Pool) mayFit(amount Vector) bool {
	return amount.all(func(r int, n int64) bool { return n <= q.Offered[r]-q.Used[r] })
}

// hasSome reports whether something of an amount may still be reserved.
func (q *Pool) hasSome(amount Vector) bool {
	return !amount.all(func(r int, _ int64) bool { return q.Offered[r]-q.Used[r] <= q.reserved[r] })
}
