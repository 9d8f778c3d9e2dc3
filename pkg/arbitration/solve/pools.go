package solve

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// PoolSet are the resource pools, by name.
type PoolSet struct {
	Pools  []*Pool
	PoolAt map[string]int
	Total  Vector // capacity of all pools
}

// Pool counts what is granted of a resource pool.
type Pool struct {
	model.Pool
	spec         *model.PoolSpec
	Offered      Vector
	largest      Vector // capacity of the largest node, nil: unknown
	Used         Vector
	Reservations []reservation
	domains      []*domain // by name
	reserved     Vector    // for applications that have waited for long; see reserveFree
	promises     []promise // the first first; see keepRoom
}

// reservation is a declared reservation in a pool and how much of it is in use.
type reservation struct {
	tenant int         // whose applications may use it …
	App    model.AppID // … or only this one
	amount Vector
	used   Vector
}

func (v *reservation) covers(app *App) bool {
	return v.tenant == app.Tenant && (v.App == model.AppID{} || v.App == app.ID)
}

// withheld is how much of a resource is reserved for others than the application.
func (q *Pool) withheld(app *App, r int) int64 {
	n := q.reserved[r] + q.promised("", app, r)
	for i := range q.Reservations {
		if v := &q.Reservations[i]; !v.covers(app) {
			n += max(0, v.amount[r]-v.used[r])
		}
	}
	return n
}

// Withheld lists what of the pool is reserved, or promised and as of when, and how much of each declared reservation is in use.
func (q *Pool) Withheld() []Vector {
	all := []Vector{q.reserved}
	for i := range q.Reservations {
		all = append(all, q.Reservations[i].used)
	}
	for _, p := range q.promises {
		all = append(all, p.need, p.ends, p.inside, p.insideEnds, Vector{p.at.UnixNano()})
	}
	return all
}

// Free is what the application may still take of a resource.
func (q *Pool) Free(app *App, r int) int64 { return q.Offered[r] - q.Used[r] - q.withheld(app, r) }

// readPools makes the pools of the platform with the capacity that was observed.
func (b *Books) readPools(in *Inputs) {
	b.Pools, b.PoolAt, b.Total = nil, map[string]int{}, b.Zero()
	seen := map[string]int{}
	for i := range in.Seen.Pools {
		seen[in.Seen.Pools[i].Name] = i
	}
	platform := in.Fleet.Platform
	for i := range platform.Pools {
		spec := &platform.Pools[i]
		q := &Pool{Pool: model.Pool{Name: spec.Name}, spec: spec}
		if n, ok := seen[spec.Name]; ok {
			q.Pool = in.Seen.Pools[n]
			q.Capacity = overcommit(q.Capacity, platform.Policy)
		}
		q.Offered, q.Used, q.reserved = b.Of(q.Capacity), b.Zero(), b.Zero()
		if !q.Largest.IsZero() {
			q.largest = b.Of(q.Largest)
		}
		for _, d := range q.Domains {
			q.domains = append(q.domains, &domain{name: d.Name, capacity: b.Of(overcommit(d.Capacity, platform.Policy)), used: b.Zero(), taken: b.Zero(), nodes: d.Nodes})
		}
		slices.SortFunc(q.domains, func(x, y *domain) int { return cmp.Compare(x.name, y.name) })
		b.Pools = append(b.Pools, q)
	}
	slices.SortFunc(b.Pools, func(x, y *Pool) int { return cmp.Compare(x.Name, y.Name) })
	for i := range b.Pools {
		b.PoolAt[b.Pools[i].Name] = i
		b.Total.Add(b.Pools[i].Offered)
	}
}

// CapacityDigest identifies what was observed of pools, in any order.
func CapacityDigest(pools []model.Pool) model.Digest {
	pools = slices.Clone(pools)
	for i := range pools {
		pools[i].Domains = slices.Clone(pools[i].Domains)
		slices.SortFunc(pools[i].Domains, func(x, y model.Domain) int { return cmp.Compare(x.Name, y.Name) })
	}
	slices.SortFunc(pools, func(x, y model.Pool) int { return cmp.Compare(x.Name, y.Name) })
	return model.DigestOf(pools)
}

// overcommit multiplies discovered capacity by the factors that policy allows.
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

// setAside applies reservations: reservations of the system make pools smaller, the
// others are kept for the tenant or application that they name.
func (b *Books) setAside(fleet *model.Fleet) {
	all := slices.Clone(fleet.Platform.Reservations)
	for i := range fleet.Tenants {
		all = append(all, fleet.Tenants[i].Reservations...)
	}
	slices.SortFunc(all, func(x, y model.Reservation) int {
		return cmp.Or(x.App.Compare(y.App), cmp.Compare(x.Tenant, y.Tenant), cmp.Compare(x.Name, y.Name))
	})
	for _, r := range all {
		at, ok := b.PoolAt[r.Pool]
		if !ok {
			continue
		}
		q, amount := b.Pools[at], b.Of(r.Amount)
		switch {
		case r.System != "":
			all := b.Zero()
			all.addTimes(amount, max(1, q.Nodes))
			for i := range all {
				n := min(all[i], q.Offered[i])
				q.Offered[i] -= n
				b.Total[i] -= n
			}
			for _, d := range q.domains {
				d.setAside(amount)
			}
		default:
			q.Reservations = append(q.Reservations, reservation{tenant: b.tenantNode(cmp.Or(r.App.Tenant, r.Tenant)), App: r.App, amount: amount, used: b.Zero()})
		}
	}
}
