package advice

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// morePoolQuota raises the quota of a tenant or a group in a pool that keeps the application out of it.
func (s *search) morePoolQuota(p *points) (list []change) {
	for n, place := range p.lacks {
		for _, short := range place {
			if !short.Quota || short.Pool < 0 {
				continue
			}
			node, pool, name, u := s.Nodes[short.Node], s.Pools[short.Pool].Name, s.Names[short.Resource], unit(short.Resource)
			limit := "quota.pools." + pool + "." + name
			has, _ := s.PoolQuota(short.Node, short.Pool, short.Resource)
			raised := func(quotas []model.PoolQuota, n int64) []model.PoolQuota {
				quotas = slices.Clone(quotas)
				if i := slices.IndexFunc(quotas, func(q model.PoolQuota) bool { return q.Pool == pool }); i >= 0 {
					quotas[i].Limits = maps.Clone(quotas[i].Limits)
					quotas[i].Limits[name] += n * u
				}
				return quotas
			}
			by := model.ByPlatform
			if node.Tenant != nil {
				by = owner(node.Tenant.At[limit])
			}
			list = append(list, p.raise(change{
				kind: "quota", by: by, list: s.units(short.Node, name, short.Asked-short.Free, u, false), only: n > 0,
				beyond: beyond{more: p.more(solve.PoolQuota, short.Node, short.Pool, short.Resource, u), inputs: func(in *solve.Inputs, n int64) {
					if node.Tenant != nil {
						editTenant(in, node.Name, func(t *model.Tenant) { t.PoolQuotas = raised(t.PoolQuotas, n) })
						return
					}
					editGroup(in, node.Name, func(g *model.Group) { g.PoolQuotas = raised(g.PoolQuotas, n) })
				}},
			}, short.Node, limit, name, has, u))
		}
	}
	return list
}
