package solve

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// limit gives histories limits of borrowing and lending, quotas, quotas of pools and, half of them, racks: some tenants and
// groups have some, and these come, go and change.
func (h *history) limit() {
	h.limited = true
	h.redeclare()
	if h.rng.IntN(2) == 0 {
		h.racks = 2 + h.rng.IntN(2)
		for i := range h.in.Fleet.Platform.Pools {
			h.in.Fleet.Platform.Pools[i].TopologyKey = "rack"
		}
		h.in.Seen.Pools = h.pools(h.most)
	}
}

// redeclare draws new limits for one in three tenants and groups.
func (h *history) redeclare() {
	amount := func() *model.Resources {
		r := &model.Resources{CPU: h.rng.Int64N(h.most.CPU/unit/2+1) * unit, Memory: h.rng.Int64N(h.most.Memory/unit/2+1) * unit}
		if h.most.Memory == 0 {
			r.Memory = 0
		}
		return r
	}
	draw := func(borrow, lend, quota **model.Resources, pools *[]model.PoolQuota) {
		if h.rng.IntN(3) > 0 {
			return
		}
		*borrow, *lend, *quota, *pools = nil, nil, nil, nil
		switch h.rng.IntN(6) {
		case 0, 1:
			*borrow = amount()
		case 2, 3:
			*lend = amount()
		case 4:
			*quota = new(amount().Add(*amount()))
		default:
			*pools = []model.PoolQuota{{Pool: append([]string{"pool"}, h.others...)[h.rng.IntN(1+len(h.others))], Limits: map[string]int64{"cpu": amount().CPU}}}
		}
	}
	h.in.Fleet.Tenants = slices.Clone(h.in.Fleet.Tenants)
	for i := range h.in.Fleet.Tenants {
		tn := &h.in.Fleet.Tenants[i]
		draw(&tn.Borrow, &tn.Lend, &tn.Quota, &tn.PoolQuotas)
	}
	platform := *h.in.Fleet.Platform
	platform.Groups = slices.Clone(platform.Groups)
	for i := range platform.Groups {
		g := &platform.Groups[i]
		draw(&g.Borrow, &g.Lend, &g.Quota, &g.PoolQuotas)
	}
	h.in.Fleet.Platform = &platform
}

// inRacks divides the capacity of a pool among its racks, in whole units.
func (h *history) inRacks(p *model.Pool) {
	left := p.Capacity
	for i := range h.racks {
		n := int64(h.racks - i)
		part := model.Resources{CPU: left.CPU / unit / n * unit, Memory: left.Memory / unit / n * unit}
		p.Domains = append(p.Domains, model.Domain{Name: fmt.Sprint("rack", i), Nodes: 1, Capacity: part})
		left = left.Sub(part)
	}
}

// limits are what the limits of the fleet say, read from what is declared.
type limits struct {
	c    *Case
	used [][]int64 // by node, then resource
	in   [][][]int64
}

// limitsNow counts what applications hold.
func limitsNow(c *Case) *limits {
	k := &limits{c: c}
	for range c.Nodes {
		k.used = append(k.used, make([]int64, len(c.Names)))
		var pools [][]int64
		for range c.Pools {
			pools = append(pools, make([]int64, len(c.Names)))
		}
		k.in = append(k.in, pools)
	}
	for _, app := range c.Apps {
		k.move(app.Tenant, app.Taken, 1)
	}
	return k
}

// move adds loads to what a tenant and its groups hold, or takes them away.
func (k *limits) move(tenant int, loads []Load, sign int64) {
	for i := tenant; i >= 0; i = k.c.Nodes[i].Parent {
		for _, l := range loads {
			for r, n := range l.Amount {
				k.used[i][r] += sign * n
				k.in[i][l.Pool][r] += sign * n
			}
		}
	}
}

// declared are the limits of a node, as they are declared.
func (k *limits) declared(i int) (guarantee model.Resources, borrow, lend, quota *model.Resources, pools []model.PoolQuota) {
	switch n := k.c.Nodes[i]; {
	case n.Tenant != nil:
		return n.Tenant.Guarantee, n.Tenant.Borrow, n.Tenant.Lend, n.Tenant.Quota, n.Tenant.PoolQuotas
	case n.group != nil:
		return n.group.Guarantee, n.group.Borrow, n.group.Lend, n.group.Quota, n.group.PoolQuotas
	}
	return guarantee, nil, nil, nil, nil
}

// of is the amount of a resource.
func (k *limits) of(res model.Resources, r int) int64 {
	switch name := k.c.Names[r]; name {
	case "cpu":
		return res.CPU
	case "memory":
		return res.Memory
	default:
		return res.Devices[name]
	}
}

// lacks lists what tenants, groups and quotas of pools lack for an application to take loads where it holds others, which
// it may always keep. Amounts are what has to become free at the least.
func (k *limits) lacks(app *App, loads, kept []Load) (list []missing) {
	for r := range k.c.Names {
		n, had := inAll(loads, r), inAll(kept, r)
		for i := app.Tenant; i > 0; i = k.c.Nodes[i].Parent {
			guarantee, borrow, _, _, pools := k.declared(i)
			if borrow != nil && n > had {
				list = append(list, missing{node: i, pool: -1, resource: r, amount: k.used[i][r] - had + n - k.of(guarantee, r) - k.of(*borrow, r)})
			}
			for _, q := range pools {
				at := k.c.PoolAt[q.Pool]
				asked, held := HeldOf(loads, at, r), HeldOf(kept, at, r)
				if most, ok := q.Limits[k.c.Names[r]]; ok && asked > held {
					list = append(list, missing{node: i, pool: at, resource: r, amount: k.in[i][at][r] - held + asked - most})
				}
			}
		}
		if n > had {
			k.used[0][r] += n - had
			list = append(list, missing{node: 0, pool: -1, resource: r, amount: k.unlent(app, r, n-had)})
			k.used[0][r] -= n - had
		}
	}
	return slices.DeleteFunc(list, func(m missing) bool { return m.amount <= 0 })
}

// unlent is how much more is used of a resource, and kept of guarantees that are not lent, than there is, when an
// application takes more.
func (k *limits) unlent(app *App, r int, more int64) int64 {
	above := func(i int) bool {
		for t := app.Tenant; t >= 0; t = k.c.Nodes[t].Parent {
			if t == i {
				return true
			}
		}
		return false
	}
	kept := make([]int64, len(k.c.Nodes)) // by node, what it and those below it do not lend
	for i := len(k.c.Nodes) - 1; i > 0; i-- {
		guarantee, _, lend, _, _ := k.declared(i)
		if lend != nil {
			used := k.used[i][r]
			if above(i) {
				used += more
			}
			kept[i] = max(kept[i], k.of(guarantee, r)-used-k.of(*lend, r))
		}
		kept[k.c.Nodes[i].Parent] += kept[i]
	}
	if kept[0] == 0 {
		return 0
	}
	return k.used[0][r] + kept[0] - k.c.Total[r]
}

// overQuota reports whether an application would take more of something that is declared beyond a quota above it, and
// more than the quota leaves.
func (k *limits) overQuota(app *App, loads, kept []Load) bool {
	for r := range k.c.Names {
		n, had := inAll(loads, r), inAll(kept, r)
		for i := app.Tenant; i > 0 && n > had; i = k.c.Nodes[i].Parent {
			_, _, _, quota, _ := k.declared(i)
			if quota != nil && k.c.Nodes[i].declared[r] > k.of(*quota, r) && k.used[i][r]-had+n > k.of(*quota, r) {
				return true
			}
		}
	}
	return false
}

// broken says which limit an application goes beyond that took more than it held before; "" for none.
func (k *limits) broken(app *App, before []Load) string {
	k.move(app.Tenant, app.Taken, -1)
	k.move(app.Tenant, before, 1)
	defer k.move(app.Tenant, app.Taken, 1)
	defer k.move(app.Tenant, before, -1)
	if list := k.lacks(app, app.Taken, before); len(list) > 0 {
		return fmt.Sprintf("lacks %+v", list)
	}
	if k.overQuota(app, app.Taken, before) {
		return "beyond a quota"
	}
	for _, l := range app.Taken {
		for i := range k.c.Pools[l.Pool].domains {
			d := k.c.Pools[l.Pool].domains[i]
			for r, n := range l.Inside {
				if l.In == d.name && app.Levels[app.Level].gang.required && n > insideOf(before, l.Pool, l.In, r) && d.taken[r]+d.used[r] > d.capacity[r] {
					return "a rack is too full"
				}
			}
		}
	}
	if app.Granted() && app.Levels[app.Level].gang != nil && app.Levels[app.Level].gang.required {
		stands := false
		for _, l := range app.Taken {
			stands = stands || l.In != "" && slices.Equal(l.Inside, app.Levels[app.Level].gang.amount)
		}
		if !stands && !app.Levels[app.Level].gang.amount.isNothing() {
			return "it does not stand together"
		}
	}
	return ""
}

// inAll is how much of a resource loads are, over all pools.
func inAll(loads []Load, r int) (n int64) {
	for _, l := range loads {
		n += l.Amount[r]
	}
	return n
}
