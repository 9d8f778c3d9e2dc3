package advice

import (
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// morePoolQuota raises the quota of a tenant or a group in a pool that keeps the application out of it.
func (s *search) morePoolQuota(p *points) (list []change) {
	add := func(at, in, r int, limit, lack int64, only bool) {
		node, pool, name, u := s.Nodes[at].Name, s.Pools[in].Name, s.Names[r], unit(r)
		units := []int64{ceil(lack, u), 2 * ceil(lack, u)}
		for _, sum := range s.placeless(at, name, false) {
			units = append(units, ceil(lack+sum, u))
		}
		raise := func(quotas []model.PoolQuota, n int64) []model.PoolQuota {
			quotas = slices.Clone(quotas)
			if i := slices.IndexFunc(quotas, func(q model.PoolQuota) bool { return q.Pool == pool }); i >= 0 {
				quotas[i].Limits = maps.Clone(quotas[i].Limits)
				quotas[i].Limits[name] += n * u
			}
			return quotas
		}
		whose, path, by := "group "+node, "group."+node, model.ByPlatform
		if node == s.app.ID.Tenant {
			whose, path, by = "tenant "+node, "tenant."+node, owner(s.Nodes[s.app.Tenant].Tenant.At["quota.pools."+pool+"."+name])
		}
		list = append(list, change{
			kind: "quota", by: by, list: smallest(units, 1<<50), between: true, only: only,
			beyond: beyond{inputs: func(in *solve.Inputs, n int64) {
				if node == s.app.ID.Tenant {
					editTenant(in, node, func(t *model.Tenant) { t.PoolQuotas = raise(t.PoolQuotas, n) })
					return
				}
				editGroup(in, node, func(g *model.Group) { g.PoolQuotas = raise(g.PoolQuotas, n) })
			}, more: func(n int64) solve.More {
				m := solve.More{Of: solve.PoolQuota, Node: at, Pool: in, Amount: s.Zero()}
				m.Amount[r] = n * u
				return m
			}},
			tell: func(n int64) model.Advice {
				to := model.FormatAmount(name, limit+n*u)
				return model.Advice{Amount: to, Was: model.FormatAmount(name, limit), Text: fmt.Sprintf("raise quota.pools.%s.%s of %s to %s", pool, name, whose, to),
					Settings: []model.Setting{{Kind: "set", Path: path + ".quota.pools." + pool + "." + name, Value: to}}}
			},
		})
	}
	for n, place := range p.lacks {
		for _, short := range place {
			if short.Quota && short.Pool >= 0 {
				limit, _ := s.PoolQuota(short.Node, short.Pool, short.Resource)
				add(short.Node, short.Pool, short.Resource, limit, short.Asked-short.Free, n > 0)
			}
		}
	}
	return list
}
