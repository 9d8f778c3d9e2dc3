package follow

import (
	"encoding/binary"
	"math"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
)

// retryable selects the applications that were pending in the last pass and may
// fit now. Each waits for its lowest level to fit, and that needs a pool in which
// as much is free as it asks for, or would be if all gave way that might. As
// long as no pool has that, nothing can be decided about it that was not decided
// before, and it is passed over.
type retryable struct {
	*solve.Case
	runs  [][]run // by node; see findRuns
	wants map[string]*want

	// What might be taken from others is counted once in a pass, before those that
	// wait are served, and can only become less while they are.
	taken map[bandClass][]solve.Vector // by pool: what those of a class and a band hold, at least a part of it
	least []int                        // by node: the lowest priority of running applications
	room  map[prospect][]solve.Vector  // by pool: what applications of a kind might take of other tenants
}

func newRetryable(c *solve.Case) *retryable {
	return &retryable{Case: c, runs: make([][]run, len(c.Nodes)), wants: map[string]*want{}}
}

// bandClass is what may give way, by its worst part.
type bandClass struct {
	class solve.Class
	band  int
}

// prospect is what applications have in common that might take the same.
type prospect struct {
	bandClass
	allowed solve.Reach
}

// run is a stretch of a tenant's pending list in which all may fit just the same.
type run struct {
	to       int   // where it ends
	want     *want // nil: to be tried in any case
	base     solve.Standing
	allowed  solve.Reach // how far the platform's policy and theirs let them take from others
	own      bool        // policy lets them take from their own tenant
	reserved bool        // something is reserved for them alone
}

// want is the minimum that an application can run, and what it asks for in full.
// Applications that want the same share it.
type want struct {
	least solve.Level
	total solve.Vector
}

// Tried reports at and below which nodes an application might get something, nil: at all.
// The others need not queue, as passing over them leaves no trace. If somebody
// might preempt others, all queue, as some of what is given up may be left over.
// Tenants of one group queue together, as even a tenant that gets nothing affects
// the order of groups.
func (r *retryable) Tried() []bool {
	r.countTaken()
	tried, everybody := make([]bool, len(r.Nodes)), false
	for i, pending := range r.Pending {
		r.findRuns(i)
		for at := 0; at < len(pending); at = r.runs[i][at].to {
			app, w := pending[at], &r.runs[i][at]
			if r.inadmissible(app, w) {
				continue
			}
			tried[r.Top(i)] = true
			everybody = everybody || r.fromOwn(app, w) != nil || r.fromOthers(w) != nil
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
	pending, runs := r.Pending[tenant], r.runs[tenant]
	first := &runs[at]
	if !r.inadmissible(pending[at], first) {
		return at
	}
	for at = first.to; at < len(pending); {
		w := &runs[at]
		if w.want == nil || w.base.Class != first.base.Class || w.base.Band != first.base.Band || !w.want.total.Fits(first.want.total) ||
			!r.inadmissible(pending[at], w) {
			break
		}
		at = w.to
	}
	return at
}

// forget must be called when the pending list of a tenant changed, or what is known
// about its applications.
func (r *retryable) forget(tenant int) { r.runs[tenant] = nil }

// countTaken counts what running applications hold and might have to give up.
func (r *retryable) countTaken() {
	r.taken, r.room, r.least = map[bandClass][]solve.Vector{}, map[prospect][]solve.Vector{}, make([]int, len(r.Nodes))
	for i := range r.least {
		r.least[i] = math.MaxInt
	}
	for _, app := range r.Running {
		if !app.Granted() || app.Standing == nil {
			continue
		}
		r.least[app.Tenant] = min(r.least[app.Tenant], app.Priority)
		key := bandClass{app.Worst(app.Level).Class, app.Band}
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

// findRuns divides the pending list of a tenant into runs, by place, so that each
// tells where it ends. An application that was never tried, or that has free
// capacity reserved, has no want.
func (r *retryable) findRuns(i int) {
	pending := r.Pending[i]
	if r.runs[i] != nil || len(pending) == 0 {
		return
	}
	platform := solve.Preemption(&r.Fleet.Platform.Policy)
	runs := make([]run, len(pending))
	for at := len(pending) - 1; at >= 0; at-- {
		app := pending[at]
		allowed := solve.Preemption(app.Policy())
		n := run{to: at + 1, base: app.Base(), allowed: min(platform, allowed), own: allowed >= solve.WithinTenant}
		if app.Short != nil && app.Policy().ReserveAfter == 0 {
			n.want, n.reserved = r.wantOf(app), r.reservedAlone(app)
		}
		if at+1 < len(pending) && n.want != nil && !n.reserved {
			same := runs[at+1]
			if same.to = n.to; n == same {
				n.to = runs[at+1].to
			}
		}
		runs[at] = n
	}
	r.runs[i] = runs
}

// wantOf returns what an application wants, the same for all that want the same.
func (r *retryable) wantOf(app *solve.App) *want {
	w := want{least: app.Levels[len(app.Levels)-1], total: app.Levels[0].Total}
	key := make([]byte, 0, 64)
	add := func(v solve.Vector) {
		key = binary.AppendVarint(key, int64(len(v)))
		for _, n := range v {
			key = binary.AppendVarint(key, n)
		}
	}
	add(w.total)
	add(w.least.Loose)
	for _, l := range w.least.Bound {
		key = binary.AppendVarint(key, int64(l.Pool))
		add(l.Amount)
	}
	if r.wants[string(key)] == nil {
		r.wants[string(key)] = &w
	}
	return r.wants[string(key)]
}

// reservedAlone reports whether a pool is reserved in part for this application alone.
func (r *retryable) reservedAlone(app *solve.App) bool {
	for i := range r.Pools {
		for j := range r.Pools[i].Reservations {
			if r.Pools[i].Reservations[j].App == app.ID {
				return true
			}
		}
	}
	return false
}

// fromOthers is the most that the applications of a run might take of other
// tenants, by pool, nil for nothing. It is generous: of the conditions of
// preemption it checks only classes and bands.
func (r *retryable) fromOthers(w *run) []solve.Vector {
	s := w.base
	if w.allowed < solve.Reclaim || s.Class > solve.WithinFairShare && w.allowed < solve.AnyBand {
		return nil
	}
	key := prospect{bandClass{s.Class, s.Band}, w.allowed}
	room, ok := r.room[key]
	if ok {
		return room
	}
	for v, taken := range r.taken {
		switch {
		case v.class == solve.WithinGuarantee:
		case s.Class == solve.WithinGuarantee, s.Class == solve.WithinFairShare && v.class == solve.Borrowing && s.Band <= v.band, w.allowed == solve.AnyBand && s.Band < v.band:
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

// fromOwn is the most that the applications of a run might take within their
// tenant, nil for nothing.
func (r *retryable) fromOwn(app *solve.App, w *run) solve.Vector {
	if r.least[app.Tenant] >= w.base.Priority || !w.own {
		return nil
	}
	return r.Nodes[app.Tenant].Used
}

// inadmissible reports whether an application of a run is sure to get nothing now:
// neither of what is free nor of what others would give up.
func (r *retryable) inadmissible(app *solve.App, w *run) bool {
	if w.want == nil {
		return false
	}
	others, own := r.fromOthers(w), r.fromOwn(app, w)
	for _, l := range w.want.least.Bound {
		if !r.reaches(app, l.Pool, l.Amount, others, own) {
			return true
		}
	}
	if w.want.least.Loose == nil {
		return false
	}
	for at := range r.Pools {
		if r.reaches(app, at, w.want.least.Loose, others, own) {
			return false
		}
	}
	return true
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
