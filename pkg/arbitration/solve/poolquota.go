package solve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// poolQuota is the most that the applications at and below a node may be granted in a pool. Which pool an application
// gets is not known before, so it counts what is granted, and not what is declared.
type poolQuota struct {
	pool  int
	limit Vector
	used  Vector
}

// quotas reads the quotas of a node. A quota of an unknown pool limits nothing; the schema lets none pass.
func (b *Books) quotas(declared []model.PoolQuota) (quotas []poolQuota) {
	for _, q := range declared {
		pool, ok := b.PoolAt[q.Pool]
		if !ok {
			continue
		}
		limit := b.Zero()
		for r, name := range b.Names {
			limit[r] = NoLimit
			if n, limited := q.Limits[name]; limited {
				limit[r] = clamp(n)
			}
		}
		quotas = append(quotas, poolQuota{pool, limit, b.Zero()})
	}
	slices.SortStableFunc(quotas, func(x, y poolQuota) int { return cmp.Compare(x.pool, y.pool) })
	return quotas
}

// bookInPool adds what is granted in a pool to the quotas above a tenant, or takes it away.
func (t *Tree) bookInPool(tenant int, l *Load, sign int) {
	for i := tenant; i >= 0; i = t.Nodes[i].Parent {
		for _, q := range t.Nodes[i].pools {
			if q.pool == l.Pool {
				q.used.move(l.Amount, sign)
			}
		}
	}
}

// beyondPoolQuota lists what the quotas of pools lack for loads of an application of a tenant. Kept is what it holds
// anyway.
func (t *Tree) beyondPoolQuota(tenant int, loads, kept []Load) (short []Shortage) {
	for i := tenant; i > 0; i = t.Nodes[i].Parent {
		for _, q := range t.Nodes[i].pools {
			for r := range q.limit {
				asked, free := HeldOf(loads, q.pool, r), q.limit[r]-q.used[r]
				if asked > 0 && asked > max(free, HeldOf(kept, q.pool, r)) {
					short = append(short, Shortage{Pool: q.pool, Node: i, Resource: r, Asked: asked, Free: free, Quota: true})
				}
			}
		}
	}
	return short
}

// checkPoolQuotas compares the least that the application can run with the quotas of the pools that could take it: more
// is never granted there.
func checkPoolQuotas(g gate, app *App, spec *model.Application, levels []Level) (found []Finding) {
	least := &levels[len(levels)-1]
	pools := []int{-1}
	if least.Loose != nil {
		pools = g.Choices(app, spec)
	}
	for n, at := range pools {
		here, fits := g.poolQuota(app, least.loads(at))
		if n == 0 || fits {
			found = here
		}
		if fits {
			break
		}
	}
	return found
}

// poolQuota compares loads with the quotas of their pools, whatever is granted there now.
func (g gate) poolQuota(app *App, loads []Load) (found []Finding, fits bool) {
	fits = true
	for i := app.Tenant; i > 0; i = g.Nodes[i].Parent {
		n := g.Nodes[i]
		for _, q := range n.pools {
			pool := g.Pools[q.pool].Name
			for r, limit := range q.limit {
				asked := HeldOf(loads, q.pool, r)
				if asked == 0 || limit >= NoLimit {
					continue
				}
				name := g.Names[r]
				f := Finding{Name: n.Name + ".pools." + pool + "." + name, Resource: name, Asked: asked, Limit: limit, OK: asked <= limit,
					At: g.limitAt(i, "quota.pools."+pool, r), Reason: model.ReasonQuotaExceeded}
				if !f.OK {
					amounts := model.FormatAmounts(name, asked, limit)
					f.Text[2] = fmt.Sprintf("needs at least %s %s in pool %s, the quota of %s there is %s", amounts[0], name, pool, n.Name, amounts[1])
				}
				found, fits = append(found, f), fits && f.OK
			}
		}
	}
	return found, fits
}

// PoolQuota is the quota of a node in a pool, false if it has none of the resource there.
func (t *Tree) PoolQuota(node, pool, r int) (limit int64, ok bool) {
	for _, q := range t.Nodes[node].pools {
		if q.pool == pool && q.limit[r] < NoLimit {
			return q.limit[r], true
		}
	}
	return 0, false
}
