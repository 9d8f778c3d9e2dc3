package solve

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// More is more of what many share: of the capacity of a pool, of the guarantee of a tenant, or of the quota of a tenant or a group in a
// pool. It changes nothing of what those who wait ask for, so what comes of it is found out once for all of them.
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
)

// Served is who of those that wait gets a place.
type Served struct {
	Looked int // at how many applications, tenants and groups
	known  bool
	ended  bool                  // all that may get something were looked at
	served map[*App][]*Displaced // and who gives way for them
	passed map[*App]bool         // that got nothing
	tenant int                   // of which all are, 0: of none
}

// Of is what one application gets, and whether that is known.
func (o *Served) Of(app *App) (t Trial, known bool) {
	victims, served := o.served[app]
	switch {
	case !o.known:
		return t, false
	case served:
		return Trial{Granted: true, Victims: victims}, true
	}
	return t, o.ended || o.passed[app] || app.Levels == nil || o.tenant > 0 && app.Tenant == o.tenant
}

// Try serves those that wait, in their order, as if there were more, on the solved case, in which nothing may move, and leaves everything
// as it was. It is not known who gets what where others than those that wait would be served first, where guarantees are lent in part, or where
// other tenants would stand otherwise; nor what those get that come after the first for whom others give way, or who may be promised something.
func (m More) Try(w *Waiting) (o Served) {
	c := w.Case
	o.Looked = len(c.Nodes) + len(w.unsettled)/8
	if c.lending || !m.applies(c) || slices.ContainsFunc(w.unsettled, func(app *App) bool { return m.opens(c, app) }) {
		return o
	}
	j := c.journal(m.Node)
	defer j.undo()
	before := c.Total
	defer m.give(j)()
	j.openReserved()
	if m.Of != PoolQuota {
		o.Looked += 4 * len(c.Nodes)
		if c.FairShares(); !j.steadyWith(before) {
			return o
		}
	}
	if m.Of == Guarantee {
		o.Looked += 4 * len(c.Members[m.Node])
		defer j.standAnew()()
	}
	s := &serving{journal: j, waiting: w, allotment: allotment{room: c.room()}, below: make([]bool, len(c.Nodes)), otherwise: m.Of == Guarantee && j.runningStand()}
	s.serve(&o)
	o.Looked += *s.allotment.looked + 4*s.heads
	o.known = true
	return o
}

// applies reports whether there is a limit that can be larger, and all that follows from that is the amount that it grows by.
func (m More) applies(c *Case) bool {
	switch m.Of {
	case Capacity:
		q := &c.Pools[m.Pool]
		return !slices.Contains(q.Offered, 0) || !slices.ContainsFunc(c.Fleet.Platform.Reservations, func(r model.Reservation) bool { return r.System != "" })
	case PoolQuota:
		return slices.ContainsFunc(c.Nodes[m.Node].pools, func(q poolQuota) bool { return q.pool == m.Pool })
	}
	return c.Nodes[m.Node].Tenant != nil
}

// opens reports whether the gate may let pass what it refuses now, or whether a newer spec of what runs may fit, which is served first.
func (m More) opens(c *Case, app *App) bool {
	if app.Incumbent() {
		return app.Refused != nil && (m.refuses(c, app, app.Refused.Reason) || app.Refused.Reason == model.ReasonCapacityShort && m.concerns(c, app))
	}
	refused := func(found []Finding) bool {
		at := slices.IndexFunc(found, func(f Finding) bool { return !f.OK })
		return at >= 0 && m.refuses(c, app, found[at].Reason) && m.suffices(c, &found[at])
	}
	return app.Levels == nil && refused(app.Findings) || slices.ContainsFunc(app.Passed, func(p Passed) bool { return refused(p.Findings) })
}

// concerns reports whether an application is one of those that there is more for.
func (m More) concerns(c *Case, app *App) bool {
	return m.Of != PoolQuota || c.Above(m.Node, app.Tenant)
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
	n := &j.Nodes[m.Node]
	switch m.Of {
	case Capacity:
		j.keepShares()
		q, more := &j.Pools[m.Pool], m.grows(j.Case)
		offered, total := q.Offered, j.Total
		q.Offered, j.Total = slices.Clone(offered), slices.Clone(total)
		q.Offered.Add(more)
		j.Total.Add(more)
		return func() { q.Offered, j.Total = offered, total }
	case Guarantee:
		j.keepShares()
		guarantee := n.Guarantee
		n.Guarantee = slices.Clone(guarantee)
		n.Guarantee.Add(m.Amount)
		return func() { n.Guarantee = guarantee }
	}
	pools := n.pools
	n.pools = slices.Clone(pools)
	for k := range n.pools {
		if q := &n.pools[k]; q.pool == m.Pool {
			q.limit = slices.Clone(q.limit)
			q.limit.Add(m.Amount)
		}
	}
	return func() { n.pools = pools }
}

// steadyWith reports whether all stands as it did, of a capacity that was less, but for what the tenant has whose guarantee is larger.
func (j *journal) steadyWith(before Vector) bool {
	for i, s := range j.scaled {
		if j.Nodes[i].Weight != s.weight {
			return false
		}
	}
	for i := range j.Nodes {
		n := &j.Nodes[i]
		if (i == 0 || i != j.tenant) && (!slices.Equal(n.Floor, j.floors[i]) || n.Tenant != nil && !n.steadyWith(n.FairShare, before, j.Total)) {
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
	own := &j.ranking.own[j.tenant]
	was := *own
	if j.runningStand() {
		if Preemption(&j.Fleet.Platform.Policy) >= Reclaim {
			r.all()
		}
		*own = j.rank(j.tenant)
	}
	return func() {
		*own = was
		j.Pending[j.tenant] = append(j.Pending[j.tenant][:0], pending...)
	}
}

// serving serves those that wait.
type serving struct {
	*journal
	waiting   *Waiting
	allotment allotment
	below     []bool // by tenant, whether it may take from others
	free      Vector // of all pools
	otherwise bool   // what runs of the tenant of the journal stands otherwise
	heads     int
}

// mostServed bounds the work of one trial, in applications that are looked at.
const mostServed = 12_000

// serve serves those that may get something, until somebody has to give way, or it is not known what those get that come after.
func (s *serving) serve(o *Served) {
	o.served, o.passed = map[*App][]*Displaced{}, map[*App]bool{}
	var took []*App
	defer func() {
		for _, app := range took {
			s.Release(app)
		}
	}()
	q := newQueue(s.Books, s.Roster, s)
	own := &q.lines[s.tenant]
	for app := q.head(); app != nil; app = q.head() {
		if s.Nodes[s.tenant].Tenant != nil && own.next >= len(own.waiting) {
			o.tenant = s.tenant // what others get is not asked
			return
		}
		if q.skip(app) {
			continue
		}
		if s.heads++; s.heads+*s.allotment.looked > mostServed || s.otherwise && app.Tenant != s.tenant && s.below[app.Tenant] {
			return
		}
		q.advance(app)
		f := s.allotment.find(app, app.Spec, nil)
		switch {
		case f.level < 0 && (s.Timed || patient(s.Now, app) && s.Nodes[app.Tenant].exceeds.app == app):
			return // it may be promised something, or take though it exceeds the fair share
		case f.level < 0:
			if o.passed[app] = true; patient(s.Now, app) {
				s.allotment.reserveFree(app)
			}
			continue
		case f.plan != nil:
			o.served[app] = displaced(f.plan, app)
			return
		}
		o.served[app] = nil
		if app.Variants != nil || app.Ending.known() || slices.ContainsFunc(f.loads, func(l Load) bool { return len(s.Pools[l.Pool].domains) > 0 }) {
			return
		}
		s.take(app, f.loads)
		took, s.free = append(took, app), nil
		q.moved(app.Tenant)
	}
	o.ended = true
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
	l := &s.waiting.lines[tenant]
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
	case app.Variants != nil, s.below[app.Tenant], s.waiting.lines[app.Tenant].lowest < app.Priority:
		return true
	case patient(s.Now, app) && s.anyPool(func(q *Pool) bool { return q.hasSome(least.Total) }):
		return true
	}
	for _, l := range least.Bound {
		if !s.Pools[l.Pool].mayFit(l.Amount) {
			return false
		}
	}
	return least.Loose == nil || s.anyPool(func(q *Pool) bool { return q.mayFit(least.Loose) })
}

// anyPool reports whether a pool is good.
func (s *serving) anyPool(good func(*Pool) bool) bool {
	for i := range s.Pools {
		if good(&s.Pools[i]) {
			return true
		}
	}
	return false
}

// mayFit reports whether an amount is no more than what nobody was granted.
func (q *Pool) mayFit(amount Vector) bool {
	for r, n := range amount {
		if n > 0 && n > q.Offered[r]-q.Used[r] {
			return false
		}
	}
	return true
}

// hasSome reports whether something of an amount may still be reserved.
func (q *Pool) hasSome(amount Vector) bool {
	for r, n := range amount {
		if n > 0 && q.Offered[r]-q.Used[r] > q.reserved[r] {
			return true
		}
	}
	return false
}
