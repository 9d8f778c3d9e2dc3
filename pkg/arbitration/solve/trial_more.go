package solve

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// More is more of what many share: of the capacity of a pool, of the guarantee of a tenant, or of the quota of a tenant or a group, in all
// or in a pool. It changes nothing of what applications ask for, so what comes of it is found out once for all of them.
type More struct {
	Of     Limit
	Pool   int
	Node   int    // whose guarantee or quota
	Amount Vector // as it is declared, or seen of a pool
}

// Limit is what there may be more of.
type Limit int

const (
	Capacity Limit = iota
	Guarantee
	PoolQuota
	Quota
)

// Served is who of those that wait gets a place, and who of those that run degraded runs in full.
type Served struct {
	Looked int // at how many applications, tenants and groups
	known  bool
	ended  bool                  // all that may get something were looked at
	served map[*App][]*Displaced // and who gives way for them
	passed map[*App]bool         // that got nothing
	tenant int                   // of which all are, 0: of none
	raised map[*App]Trial        // what those get that run degraded and were looked at
}

// Of is what one application gets, and whether that is known.
func (o *Served) Of(app *App) (t Trial, known bool) {
	victims, served := o.served[app]
	switch {
	case !o.known:
		return t, false
	case app.Granted():
		t, known = o.raised[app]
		return t, known
	case served:
		return Trial{Granted: true, Victims: victims}, true
	}
	return t, o.ended || o.passed[app] || app.Levels == nil || o.tenant > 0 && app.Tenant == o.tenant
}

// Try serves those that wait, in their order, and then restores those that run degraded, as if there were more, on the solved case, in which
// nothing may move, and leaves everything as it was. It is not known who gets what where others than those that wait would be served first, where guarantees are lent in part, or where
// other tenants would stand otherwise; nor what those get that come after the first for whom others give way, or who may be promised something.
func (m More) Try(w *Waiting) (o Served) {
	c := w.Case
	o.Looked = len(c.Nodes) + len(w.unsettled)/8
	if c.lending || !m.applies(c) || slices.ContainsFunc(w.unsettled, func(app *App) bool { return m.opens(c, app) }) {
		return o
	}
	j, kept := c.journal(m.Node), c.AnyReserved()
	defer j.undo()
	before := c.Total
	defer m.give(j)()
	j.openReserved()
	if m.Of == Capacity || m.Of == Guarantee {
		o.Looked += 4 * len(c.Nodes)
		if c.FairShares(); !j.steadyWith(before) {
			return o
		}
	}
	if m.Of == Guarantee {
		o.Looked += 4 * len(c.Members[m.Node])
		defer j.standAnew()()
	}
	s := &serving{journal: j, waiting: w, allotment: allotment{room: c.room()}, below: make([]bool, len(c.Nodes)), otherwise: m.Of == Guarantee && j.otherwise((*App).Granted), kept: kept}
	s.serve(&o, func(app *App) bool { return m.Of == Capacity || c.Above(m.Node, app.Tenant) })
	o.Looked += *s.allotment.looked + 4*s.heads
	return o
}

// applies reports whether there is a limit that can be larger, and all that follows from that is the amount that it grows by.
func (m More) applies(c *Case) bool {
	switch m.Of {
	case Capacity:
		q := c.Pools[m.Pool]
		return !slices.Contains(q.Offered, 0) || !slices.ContainsFunc(c.Fleet.Platform.Reservations, func(r model.Reservation) bool { return r.System != "" })
	case PoolQuota:
		return slices.ContainsFunc(c.Nodes[m.Node].pools, func(q poolQuota) bool { return q.pool == m.Pool })
	case Quota:
		return c.Nodes[m.Node].quota != nil
	}
	return c.Nodes[m.Node].Tenant != nil
}

// opens reports whether the gate may let pass what it refuses now, or whether a newer spec that did not fit may stand otherwise.
func (m More) opens(c *Case, app *App) bool {
	if app.Incumbent() {
		return app.Refused != nil && (m.refuses(c, app, app.Refused.Reason) || app.declined != nil && m.Of == Guarantee && app.Tenant == m.Node)
	}
	refused := func(found []Finding) bool {
		at := slices.IndexFunc(found, func(f Finding) bool { return !f.OK })
		return at >= 0 && m.refuses(c, app, found[at].Reason) && m.suffices(c, &found[at])
	}
	return app.Levels == nil && refused(app.Findings) || slices.ContainsFunc(app.Passed, func(p Passed) bool { return refused(p.Findings) })
}

// refuses reports whether the gate refuses an application for a reason that there may be no more of.
func (m More) refuses(c *Case, app *App, reason model.Reason) bool {
	switch m.Of {
	case Capacity:
		return reason == model.ReasonPoolTooSmall || reason == model.ReasonShareExceeded
	case Guarantee:
		return reason == model.ReasonLimitExceeded && app.Tenant == m.Node
	}
	return reason == model.ReasonQuotaExceeded && c.Above(m.Node, app.Tenant)
}

// suffices reports whether more may be enough for what the gate found.
func (m More) suffices(c *Case, f *Finding) bool {
	switch m.Of {
	case Capacity:
		r, ok := c.Index[f.Resource]
		return !ok || f.Asked <= c.Pools[m.Pool].Offered[r]+m.grows(c)[r]
	case PoolQuota:
		return strings.Contains(f.Name, ".pools.")
	case Quota:
		return !strings.Contains(f.Name, ".pools.")
	}
	return true
}

// grows is by how much more a pool offers.
func (m More) grows(c *Case) Vector {
	at := slices.IndexFunc(c.Seen.Pools, func(q model.Pool) bool { return q.Name == c.Pools[m.Pool].Name })
	if at < 0 {
		return c.Zero()
	}
	was := c.Seen.Pools[at].Capacity
	is := was
	for r, n := range m.Amount {
		if n > 0 {
			is = is.With(c.Names[r], is.Get(c.Names[r])+n)
		}
	}
	more := c.Of(overcommit(is, c.Fleet.Platform.Policy))
	more.sub(c.Of(overcommit(was, c.Fleet.Platform.Policy)))
	return more
}

// give makes the limit larger, and returns what undoes that.
func (m More) give(j *journal) (undo func()) {
	larger := func(v *Vector, by Vector) (undo func()) {
		was := *v
		*v = slices.Clone(was)
		v.Add(by)
		return func() { *v = was }
	}
	n := j.Nodes[m.Node]
	switch m.Of {
	case Capacity:
		j.keepShares()
		more := m.grows(j.Case)
		offered, total := larger(&j.Pools[m.Pool].Offered, more), larger(&j.Total, more)
		return func() { offered(); total() }
	case Guarantee:
		j.keepShares()
		return larger(&n.Guarantee, m.Amount)
	case Quota:
		return larger(&n.quota, m.Amount)
	}
	at := slices.IndexFunc(n.pools, func(q poolQuota) bool { return q.pool == m.Pool })
	return larger(&n.pools[at].limit, m.Amount)
}

// steadyWith reports whether all stands as it did, of a capacity that was less, but for what the tenant has whose guarantee is larger.
func (j *journal) steadyWith(before Vector) bool {
	for i := range j.nodes {
		n, was := j.Nodes[i], &j.nodes[i]
		if n.Weight != was.Weight || (i == 0 || i != j.tenant) && (!slices.Equal(n.Floor, was.Floor) || n.Tenant != nil && !n.steadyWith(n.FairShare, before, j.Total)) {
			return false
		}
	}
	return true
}

// standAnew lets the applications of the tenant stand and wait as they would now, and returns what undoes that.
func (j *journal) standAnew() (undo func()) {
	r := j.room()
	r.own(j.tenant) // as it is without the change
	j.keepStanding()
	pending := slices.Clone(j.Pending[j.tenant])
	j.StandTenant(j.tenant)
	j.LineUp(j.tenant)
	back := j.rankAnew(&r, Preemption(r.platform) >= Reclaim)
	return func() {
		back()
		j.Pending[j.tenant] = append(j.Pending[j.tenant][:0], pending...)
	}
}
