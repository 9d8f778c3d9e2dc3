package solve

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// beyondQuota lists what keeps an application from an amount in a tenant that declares
// more than a quota at or above it: the quota was lowered. Then nothing grows beyond it.
// Kept is what the application holds anyway.
func (b *Books) beyondQuota(tenant int, amount Vector, kept []Load) (short []Shortage) {
	for i := tenant; i > 0; i = b.Nodes[i].Parent {
		n := b.Nodes[i]
		if n.quota == nil || n.declared.Fits(n.quota) {
			continue
		}
		held := b.sum(kept)
		for r, asked := range amount {
			if free := n.quota[r] - n.Used[r]; n.declared[r] > n.quota[r] && asked > max(free, held[r], 0) {
				short = append(short, Shortage{Pool: -1, Node: i, Resource: r, Asked: asked, Free: free, Quota: true})
			}
		}
	}
	return short
}

// OverQuota lists what groups and tenants are granted beyond their quotas, of all pools together and then of each, each by name. It
// follows from a quota that was lowered, or from a default of policy that became more.
func (c *Case) OverQuota() (over []model.OverQuota) {
	for i, n := range c.Nodes {
		whose := model.OverQuota{Tenant: n.Name}
		switch {
		case n.group != nil:
			whose = model.OverQuota{Group: n.Name}
		case n.Tenant == nil:
			continue
		}
		add := func(resource, at string, granted, limit int64) {
			q := whose
			q.Resource, q.Granted, q.Limit, q.At = resource, granted, limit, at
			over = append(over, q)
		}
		for r, limit := range n.quota {
			if used := n.Used[r]; used > limit {
				add(c.Names[r], gate{c.Books, c.Fleet.Platform}.limitAt(i, "quota", r), used, limit)
			}
		}
		for _, q := range n.pools {
			whose.Pool = c.Pools[q.pool].Name
			for r, limit := range q.limit {
				if used := q.used[r]; used > limit {
					add(c.Names[r], gate{c.Books, c.Fleet.Platform}.limitAt(i, "quota.pools."+whose.Pool, r), used, limit)
				}
			}
		}
		if whose.Pool = ""; n.Tenant == nil {
			continue
		}
		if most := n.Tenant.MaxApplications; most > 0 && n.applications > most {
			add("applications", n.Tenant.At["quota.applications"], int64(n.applications), int64(most))
		}
		if most := n.Tenant.MaxWorkloads; most > 0 && n.workloads > most {
			add("workloads", n.Tenant.At["quota.workloads"], int64(n.workloads), int64(most))
		}
	}
	slices.SortStableFunc(over, func(a, b model.OverQuota) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Group, b.Group))
	})
	return over
}
