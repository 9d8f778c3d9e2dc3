package decode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// poolsDoc are limits in pools, by pool.
type poolsDoc map[string]*resourcesDoc

// quotas returns the limits by pool. Path is that of the quota; platform is the layer that declares pools.
func (d poolsDoc) quotas(path string, own, platform *layer.Layer) (quotas []model.PoolQuota, problems []model.Problem) {
	for _, pool := range slices.Sorted(maps.Keys(d)) {
		at := path + ".pools." + pool
		if _, ok := platform.Value("platform.pools." + pool); !ok {
			p := own.Blame(catalogue.PoolOfQuota, at, "is a quota in pool "+pool+", which the platform does not have")
			problems = append(problems, beside(platform, p, "platform.pools"))
			continue
		}
		amount, bad := d[pool].amount(at, own)
		problems = append(problems, bad...)
		q := model.PoolQuota{Pool: pool, Limits: map[string]int64{}}
		for name := range d[pool].Devices {
			q.Limits[name] = amount.Devices[name]
		}
		if d[pool].CPU != "" {
			q.Limits["cpu"] = amount.CPU
		}
		if d[pool].Memory != "" {
			q.Limits["memory"] = amount.Memory
		}
		if len(q.Limits) > 0 {
			quotas = append(quotas, q)
		}
	}
	return quotas, problems
}

// narrowPools lowers the limits in pools that a tenant is allotted to those that it writes.
func narrowPools(t *model.Tenant, written []model.PoolQuota, own, platform *layer.Layer) (problems []model.Problem) {
	all := slices.Clone(t.PoolQuotas)
	for _, q := range written {
		i, there := slices.BinarySearchFunc(all, q.Pool, func(x model.PoolQuota, pool string) int { return strings.Compare(x.Pool, pool) })
		if !there {
			all = slices.Insert(all, i, q)
			continue
		}
		limits := maps.Clone(all[i].Limits)
		for _, name := range q.Resources() {
			if limit, limited := limits[name]; limited && q.Limits[name] > limit {
				field, n := "quota.pools."+q.Pool+"."+fieldOf(name), model.FormatAmounts(name, q.Limits[name], limit)
				p := own.Blame(catalogue.Wider, "tenant."+field, fmt.Sprintf("allows %s %s in pool %s, and the allotment of tenant %s has %s", n[0], name, q.Pool, t.Name, n[1]))
				problems = append(problems, beside(platform, p, allotmentOf(t.Name)+"."+field))
			}
			limits[name] = q.Limits[name]
		}
		all[i].Limits = limits
	}
	t.PoolQuotas = all
	return problems
}
