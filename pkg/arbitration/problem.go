package arbitration

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// problem is everything that one arbitration decides on, in dense form, and the
// books of what is taken while it decides.
type problem struct {
	dimensions
	fleet    *model.Fleet
	platform *model.Platform
	ledger   *model.Ledger
	seen     []model.Pool
	now      time.Time

	pools     []pool // by name
	poolAt    map[string]int
	total     vector // capacity of all pools
	nodes     []node // the tree; see buildTree
	tenants   map[string]int
	lending   bool                               // a node withholds some of its guarantee
	limited   bool                               // a node has a limit of what it may borrow or lend
	claims    []*claim                           // by name
	members   [][]*claim                         // by node
	byTenant  [][]*claim                         // by node, those that have something to stand for, elders first
	lines     [][]*claim                         // by node, those that waited before filling, in the order in which they are served
	runs      [][]run                            // by node; see findRuns
	running   []*claim                           // that hold a place in the ledger, in no order
	newcomers []*claim                           // that are not in the ledger yet
	idle      map[model.AppID]*model.Application // declared, and without a claim
	touched   []*claim                           // that are not as keep and pass left them
	asked     [][]vector                         // by band, then node: what claims ask for in full; see demand
	patient   bool                               // a claim has a time after which room is kept for it
	returns   time.Time                          // when the first of those comes back that are set aside, zero: none does
	weak      *weakness                          // made when room is first needed
	spare     spares                             // see spares
	held      map[[2]int][]*claim                // by pool and resource; see holders
	again     bool                               // those that waited before are known
	hopes     *hopes                             // of those that waited before, nil: everybody is tried
	wants     map[string]*want                   // see wantOf
	stale     []*claim                           // of which the decision is to be written anew
	shelf     shelf                              // of what was decided about claims, in their order

	capacity model.Digest
	policies map[policyKey]model.Digest
}

// pool counts what is granted of a resource pool.
type pool struct {
	model.Pool
	spec     *model.PoolSpec
	capacity vector
	largest  vector // that one node offers, nil: unknown
	used     vector
	promises []promise
	domains  []domain
	kept     vector // for applications that have waited for long; see fill
}

// promise is a reservation in a pool and how much of it is in use.
type promise struct {
	tenant int         // whose applications may use it …
	app    model.AppID // … or only this one
	amount vector
	used   vector
}

// withheld is how much of a pool is reserved for others than the claim.
func (q *pool) withheld(c *claim, r int) int64 {
	n := q.kept[r]
	for i := range q.promises {
		if v := &q.promises[i]; !v.covers(c) {
			n += max(0, v.amount[r]-v.used[r])
		}
	}
	return n
}

func (v *promise) covers(c *claim) bool {
	return v.tenant == c.tenant && (v.app == model.AppID{} || v.app == c.app)
}

// free is what the claim may still take of a resource of a pool.
func (q *pool) free(c *claim, r int) int64 { return q.capacity[r] - q.used[r] - q.withheld(c, r) }

// take books loads for a claim; release takes them out of the books.
func (p *problem) take(c *claim, loads []load) {
	c.taken = loads
	p.move(c, loads, 1)
}

func (p *problem) release(c *claim) []load {
	loads := c.taken
	p.move(c, loads, -1)
	c.taken = nil
	return loads
}

func (p *problem) move(c *claim, loads []load, sign int) {
	for _, l := range loads {
		q := &p.pools[l.pool]
		for i, n := range l.amount {
			q.used[i] += int64(sign) * n
		}
		for i := range q.promises {
			if v := &q.promises[i]; v.covers(c) {
				for r, n := range l.amount {
					v.used[r] += int64(sign) * n
				}
			}
		}
		p.book(c.tenant, l.amount, sign)
	}
}

// newProblem reads the inputs. Their order does not matter.
func newProblem(fleet *model.Fleet, seen *model.Observation, ledger *model.Ledger, now time.Time) *problem {
	p := &problem{
		fleet: fleet, platform: fleet.Platform, ledger: ledger, seen: seen.Pools, now: now,
		poolAt: map[string]int{}, tenants: map[string]int{}, policies: map[policyKey]model.Digest{},
	}
	p.dimensions = newDimensions(devices(fleet, seen, ledger))
	p.buildPools(seen)
	p.buildTree()
	p.reserve()
	p.gather()
	return p
}

// devices lists every device that is offered, asked for or limited.
func devices(fleet *model.Fleet, seen *model.Observation, ledger *model.Ledger) map[string]bool {
	names := map[string]bool{}
	add := func(rs ...model.Resources) {
		for _, r := range rs {
			for name := range r.Devices {
				names[name] = true
			}
		}
	}
	spec := func(a *model.Application) {
		for i := range a.Components {
			add(a.Components[i].Requests)
		}
	}
	for i := range seen.Pools {
		add(seen.Pools[i].Capacity)
	}
	for i := range fleet.Applications {
		spec(fleet.Applications[i])
	}
	for i := range ledger.Instances {
		if s := ledger.Instances[i].Spec; s != nil {
			spec(s)
		}
	}
	return names
}

func (p *problem) buildPools(seen *model.Observation) {
	p.total = p.zero()
	p.capacity = capacityDigest(seen.Pools)
	at := map[string]int{}
	for i := range seen.Pools {
		at[seen.Pools[i].Name] = i
	}
	for i := range p.platform.Pools {
		spec := &p.platform.Pools[i]
		q := pool{Pool: model.Pool{Name: spec.Name}, spec: spec}
		if n, ok := at[spec.Name]; ok {
			q.Pool = seen.Pools[n]
			q.Capacity = overcommit(q.Capacity, p.platform.Policy)
		}
		q.capacity, q.used, q.kept = p.of(q.Capacity), p.zero(), p.zero()
		if !q.Largest.IsZero() {
			q.largest = p.of(q.Largest)
		}
		for _, d := range q.Domains {
			q.domains = append(q.domains, domain{name: d.Name, capacity: p.of(d.Capacity), used: p.zero(), nodes: d.Nodes})
		}
		slices.SortFunc(q.domains, func(x, y domain) int { return cmp.Compare(x.name, y.name) })
		p.pools = append(p.pools, q)
	}
	slices.SortFunc(p.pools, func(x, y pool) int { return cmp.Compare(x.Name, y.Name) })
	for i := range p.pools {
		p.poolAt[p.pools[i].Name] = i
		p.total.add(p.pools[i].capacity)
	}
}

// capacityDigest identifies what was seen of pools, in whatever order.
func capacityDigest(pools []model.Pool) model.Digest {
	pools = slices.Clone(pools)
	for i := range pools {
		pools[i].Domains = slices.Clone(pools[i].Domains)
		slices.SortFunc(pools[i].Domains, func(x, y model.Domain) int { return cmp.Compare(x.Name, y.Name) })
	}
	slices.SortFunc(pools, func(x, y model.Pool) int { return cmp.Compare(x.Name, y.Name) })
	return model.DigestOf(pools)
}

// overcommit stretches discovered capacity by the factors that policy allows.
func overcommit(r model.Resources, policy model.Policy) model.Resources {
	stretch := func(n int64, thousandths int) int64 {
		if thousandths <= 1000 {
			return n
		}
		n = clamp(n)
		return n/1000*int64(thousandths) + n%1000*int64(thousandths)/1000
	}
	r.CPU, r.Memory = stretch(r.CPU, policy.OvercommitCPU), stretch(r.Memory, policy.OvercommitMem)
	return r
}

// reserve sets reservations aside: those of the system make pools smaller, the
// others are kept for whom they name.
func (p *problem) reserve() {
	all := slices.Clone(p.platform.Reservations)
	for i := range p.fleet.Tenants {
		all = append(all, p.fleet.Tenants[i].Reservations...)
	}
	slices.SortFunc(all, func(x, y model.Reservation) int {
		return cmp.Or(x.App.Compare(y.App), cmp.Compare(x.Tenant, y.Tenant), cmp.Compare(x.Name, y.Name))
	})
	for _, r := range all {
		at, ok := p.poolAt[r.Pool]
		if !ok {
			continue
		}
		q, amount := &p.pools[at], p.of(r.Amount)
		switch {
		case r.System != "":
			all := p.zero()
			all.addTimes(amount, max(1, q.Nodes))
			for i := range all {
				n := min(all[i], q.capacity[i])
				q.capacity[i] -= n
				p.total[i] -= n
			}
		case r.App != model.AppID{}:
			q.promises = append(q.promises, promise{tenant: p.tenant(r.App.Tenant), app: r.App, amount: amount, used: p.zero()})
		default:
			q.promises = append(q.promises, promise{tenant: p.tenant(r.Tenant), amount: amount, used: p.zero()})
		}
	}
}
