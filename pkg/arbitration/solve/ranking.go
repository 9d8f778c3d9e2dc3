package solve

import (
	"slices"
	"time"
)

// ranking lists the incumbents, those with the worst part first; of equal ones the
// youngest. A list is made when it is first needed, and kept between passes as long as the same
// applications run and stand as they did. It is not made again when some of them give way: that only makes the
// worst part of what is left better.
type ranking struct {
	own    [][]ranked // by tenant, nil: not made
	all    []ranked   // of all tenants, nil: not made
	needed bool       // in this pass: from then on it is as it was at that time
}

// ranked is an incumbent as it was when the list was made.
type ranked struct {
	app       *App
	worst     Standing  // of its parts
	protected time.Time // until then others take nothing from it, zero: they may
}

// worstFirst orders incumbents.
func worstFirst(x, y ranked) int {
	if n := y.worst.Compare(x.worst); n != 0 {
		return n
	}
	return FirstCome(y.app, x.app)
}

// forget drops the lists that have the incumbents of a tenant.
func (w *ranking) forget(tenant int) { w.own[tenant], w.all = nil, nil }

// ranked returns the ranking, which is needed now.
func (r *room) ranked() *ranking {
	r.ranking.needed = true
	return r.ranking
}

// own ranks the incumbents of a tenant.
func (r *room) own(tenant int) []ranked {
	list := &r.ranked().own[tenant]
	if *list == nil {
		*list = r.rank(tenant)
	}
	return *list
}

// all ranks all incumbents.
func (r *room) all() []ranked {
	w := r.ranked()
	if w.all == nil {
		w.all = make([]ranked, 0, len(r.Running))
		for tenant := range w.own {
			w.all = append(w.all, r.own(tenant)...)
		}
		slices.SortFunc(w.all, worstFirst)
	}
	return w.all
}

// grows must be called before an incumbent is given more, which may stand worse than what it has.
func (r *room) grows(app *App) {
	if r.ranking.needed {
		r.own(app.Tenant)
	} else {
		r.ranking.forget(app.Tenant)
	}
}

// rank lists the incumbents of a tenant, those with the worst part first.
func (a *Roster) rank(tenant int) []ranked {
	list := make([]ranked, 0, len(a.Members[tenant]))
	for _, app := range a.Members[tenant] {
		if a.mayGiveWay(app) {
			list = append(list, ranked{app, app.Worst(app.Level), a.ProtectedUntil(app)})
		}
	}
	slices.SortFunc(list, worstFirst)
	return list
}

// mayGiveWay reports whether an application is one of those that run and may be preempted.
func (a *Roster) mayGiveWay(app *App) bool {
	return app.slot >= 0 && app.Granted() && app.Standing != nil && !app.Unusable.Damaged()
}
