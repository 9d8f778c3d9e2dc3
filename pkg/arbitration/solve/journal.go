package solve

import "slices"

// journal remembers what a trial changes of a case.
type journal struct {
	*Case
	tenant   int
	members  []*App        // nil: they stand as they did
	stood    []Place       // by member
	demanded []Vector      // of the tenant, by band
	counts   map[int]Usage // of what is declared, by node
	nodes    []Node        // before fair shares were divided again, nil: they were not
	unscaled []Share       // fair shares without past use then
	line     Stood         // of the tenant
	reserved []Pool        // before what is reserved and promised was opened, nil: it was not
}

// journal begins to remember what changes for a tenant.
func (c *Case) journal(tenant int) *journal { return &journal{Case: c, tenant: tenant} }

// keepStanding remembers how the applications of the tenant stand, and what they demand.
func (j *journal) keepStanding() {
	j.members, j.line = slices.Clone(j.Members[j.tenant]), j.Nodes[j.tenant].Stood
	j.stood = make([]Place, len(j.members))
	for i, app := range j.members {
		j.stood[i] = app.Place
	}
	for b := range j.Case.demanded {
		j.demanded = append(j.demanded, j.Case.demanded[b][j.tenant])
	}
}

// keepCounts remembers what is declared at and below a node, and above it.
func (j *journal) keepCounts(top int) {
	j.counts = map[int]Usage{}
	for i := range j.Nodes {
		if n := j.Nodes[i]; j.Above(top, i) || j.Above(i, top) {
			j.counts[i] = Usage{declared: slices.Clone(n.declared), applications: n.applications, workloads: n.workloads}
		}
	}
}

// keepShares remembers fair shares, guarantees that hold and weights that count.
func (j *journal) keepShares() {
	j.unscaled = j.unweighted
	for _, n := range j.Nodes {
		j.nodes = append(j.nodes, *n)
	}
}

// openReserved lets everybody have what is reserved and promised.
func (j *journal) openReserved() {
	for _, q := range j.Pools {
		j.reserved = append(j.reserved, *q)
	}
	j.ClearReserved()
}

// closeReserved takes that back, but for what an application was promised itself.
func (j *journal) closeReserved(app *App) {
	for i, was := range j.reserved {
		own := func(p promise) bool { return p.to == app }
		j.Pools[i].reserved, j.Pools[i].promises = was.reserved, slices.DeleteFunc(slices.Clone(was.promises), own)
	}
}

// undo leaves the case as it was.
func (j *journal) undo() {
	for i, was := range j.reserved {
		j.Pools[i].reserved, j.Pools[i].promises = was.reserved, was.promises
	}
	if j.members != nil {
		copy(j.Members[j.tenant], j.members)
		j.Nodes[j.tenant].Stood = j.line
	}
	for i, app := range j.members {
		app.Standing, app.before = j.stood[i].Standing, j.stood[i].before
	}
	for b := range j.demanded {
		j.Case.demanded[b][j.tenant] = j.demanded[b]
	}
	for i := range j.nodes {
		n, was := j.Nodes[i], &j.nodes[i]
		n.FairShare, n.Floor, n.Weight, n.Step = was.FairShare, was.Floor, was.Weight, was.Step
		j.unweighted = j.unscaled
	}
	for i, k := range j.counts {
		n := j.Nodes[i]
		n.declared, n.applications, n.workloads = k.declared, k.applications, k.workloads
	}
}

// others reports whether another tenant may stand otherwise, or may take what it could not take.
func (j *journal) others() bool {
	takes := Preemption(&j.Fleet.Platform.Policy) >= Reclaim
	for i := range j.nodes {
		n, was := j.Nodes[i], &j.nodes[i]
		switch {
		case n.Weight != was.Weight:
			return true
		case i == j.tenant:
			if takes && n.FairShare > was.FairShare && len(j.Pending[i]) > 1 {
				return true
			}
		case n.Tenant != nil && !n.Steady.Contains(n.FairShare), !slices.Equal(n.Floor, was.Floor), takes && n.FairShare != was.FairShare:
			return true
		}
	}
	return false
}

// otherwise reports whether one of some applications of the tenant stands otherwise.
func (j *journal) otherwise(some func(*App) bool) bool {
	for i, o := range j.members {
		if !slices.Equal(o.Standing, j.stood[i].Standing) && some(o) {
			return true
		}
	}
	return false
}

// rankAnew ranks what runs of the tenant again if that stands otherwise, and returns what undoes that. Of other tenants nobody
// stands otherwise, so these matter as they are, and only to what reaches them.
func (j *journal) rankAnew(r *room, reaches bool) (undo func()) {
	own := &j.ranking.own[j.tenant]
	was := *own
	if j.otherwise((*App).Granted) {
		if reaches {
			r.all()
		}
		*own = j.rank(j.tenant)
	}
	return func() { *own = was }
}

// own reports whether an application of the tenant that is served before the edited one stands otherwise, or may take from one that does.
func (j *journal) own(app, edited *App) bool {
	return edited.Levels != nil && j.otherwise(func(o *App) bool {
		switch {
		case o == app || o.Levels == nil:
			return false
		case o.Update != nil:
			return true
		case !o.Granted():
			return serveOrder(o, edited) < 0
		}
		return slices.ContainsFunc(j.Pending[j.tenant], func(p *App) bool {
			return p != app && p.Priority > o.Priority && Preemption(p.Policy()) >= WithinTenant && serveOrder(p, edited) < 0
		})
	})
}

// exceedsInstead reports whether another application of the tenant may now take though it exceeds the fair share.
func (j *journal) exceedsInstead(edited *App) bool {
	other := j.Nodes[j.tenant].exceeds.app
	return other != nil && other != edited && other != j.line.exceeds.app && !other.Granted() && MayExceed(&j.Fleet.Platform.Policy, j.Books, other, j.Now)
}
