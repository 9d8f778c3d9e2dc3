package solve

import "slices"

// journal remembers what a trial changes of a case.
type journal struct {
	*Case
	tenant   int
	members  []*App   // nil: they stand as they did
	stood    []stood  // by member
	demanded []Vector // of the tenant, by band
	counts   []counted
	fair     []Share  // by node, nil: not divided again
	floors   []Vector // by node
	scaled   []scaled
	line     Stood      // of the tenant
	reserved []withheld // by pool, nil: as it was
}

// withheld is what is reserved and promised of a pool.
type withheld struct {
	reserved Vector
	promises []promise
}

// stood is how an application stands.
type stood struct {
	standing []Standing
	before   []Share
}

// counted is what is declared at a node.
type counted struct {
	node int
	Usage
}

// scaled is what past use makes of a node's weight.
type scaled struct {
	weight     int64
	step       int
	unweighted Share
}

// journal begins to remember what changes for a tenant.
func (c *Case) journal(tenant int) *journal { return &journal{Case: c, tenant: tenant} }

// keepStanding remembers how the applications of the tenant stand, and what they demand.
func (j *journal) keepStanding() {
	j.members, j.line = slices.Clone(j.Members[j.tenant]), j.Nodes[j.tenant].Stood
	j.stood = make([]stood, len(j.members))
	for i, app := range j.members {
		j.stood[i] = stood{app.Standing, app.before}
	}
	for b := range j.Case.demanded {
		j.demanded = append(j.demanded, j.Case.demanded[b][j.tenant])
	}
}

// keepCounts remembers what is declared at and below a node, and above it.
func (j *journal) keepCounts(top int) {
	for i := range j.Nodes {
		if n := &j.Nodes[i]; j.Above(top, i) || j.Above(i, top) {
			j.counts = append(j.counts, counted{i, Usage{declared: slices.Clone(n.declared), applications: n.applications, workloads: n.workloads}})
		}
	}
}

// keepShares remembers fair shares and guarantees that hold.
func (j *journal) keepShares() {
	for i := range j.Nodes {
		j.fair, j.floors = append(j.fair, j.Nodes[i].FairShare), append(j.floors, j.Nodes[i].Floor)
	}
	for i := range j.unweighted {
		j.scaled = append(j.scaled, scaled{j.Nodes[i].Weight, j.Nodes[i].Step, j.unweighted[i]})
	}
}

// openReserved lets everybody have what is reserved and promised.
func (j *journal) openReserved() {
	for i := range j.Pools {
		j.reserved = append(j.reserved, withheld{j.Pools[i].reserved, j.Pools[i].promises})
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
		app.Standing, app.before = j.stood[i].standing, j.stood[i].before
	}
	for b := range j.demanded {
		j.Case.demanded[b][j.tenant] = j.demanded[b]
	}
	for i := range j.fair {
		j.Nodes[i].FairShare, j.Nodes[i].Floor = j.fair[i], j.floors[i]
	}
	for i, s := range j.scaled {
		j.Nodes[i].Weight, j.Nodes[i].Step, j.unweighted[i] = s.weight, s.step, s.unweighted
	}
	for _, k := range j.counts {
		n := &j.Nodes[k.node]
		n.declared, n.applications, n.workloads = k.declared, k.applications, k.workloads
	}
}

// others reports whether another tenant may stand otherwise, or may take what it could not take.
func (j *journal) others() bool {
	if j.fair == nil {
		return false
	}
	for i, s := range j.scaled {
		if j.Nodes[i].Weight != s.weight {
			return true
		}
	}
	takes := Preemption(&j.Fleet.Platform.Policy) >= Reclaim
	for i := range j.Nodes {
		n := &j.Nodes[i]
		switch {
		case i == j.tenant:
			if takes && n.FairShare > j.fair[i] && len(j.Pending[i]) > 1 {
				return true
			}
		case n.Tenant != nil && !n.Steady.Contains(n.FairShare), !slices.Equal(n.Floor, j.floors[i]), takes && n.FairShare != j.fair[i]:
			return true
		}
	}
	return false
}

// own reports whether an application of the tenant that is served before the edited one stands otherwise, or may take from one that does.
func (j *journal) own(app, edited *App) bool {
	if edited.Levels == nil {
		return false
	}
	for i, o := range j.members {
		if o == app || o.Levels == nil || slices.Equal(o.Standing, j.stood[i].standing) {
			continue
		}
		if o.Granted() && slices.ContainsFunc(j.Pending[j.tenant], func(p *App) bool {
			return p != app && p.Priority > o.Priority && Preemption(p.Policy()) >= WithinTenant && serveOrder(p, edited) < 0
		}) {
			return true
		}
		if o.Update != nil || !o.Granted() && serveOrder(o, edited) < 0 {
			return true
		}
	}
	return false
}

// runningStand reports whether a running application of the tenant stands otherwise.
func (j *journal) runningStand() bool {
	for i, o := range j.members {
		if o.Granted() && !slices.Equal(o.Standing, j.stood[i].standing) {
			return true
		}
	}
	return false
}

// exceedsInstead reports whether another application of the tenant may now take though it exceeds the fair share.
func (j *journal) exceedsInstead(edited *App) bool {
	other := j.Nodes[j.tenant].exceeds.app
	return other != nil && other != edited && other != j.line.exceeds.app && !other.Granted() && MayExceed(&j.Fleet.Platform.Policy, j.Books, other, j.Now)
}
