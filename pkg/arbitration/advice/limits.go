package advice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// limit is a quota of a tenant or a group that an application exceeds.
type limit struct {
	node       int
	key        string // cpu, applications
	resource   string // "": it is a number
	at         string // where it stands
	has, short int64
}

// limits lists the quotas that keep the application out, or from growing.
func (p *points) limits() (list []limit) {
	for _, f := range p.failed {
		of, key, ok := strings.Cut(f.Name, "quota.")
		node := p.app.Tenant
		if of != "" {
			node = p.groupOf(strings.TrimSuffix(strings.TrimPrefix(of, "groups."), "."))
		}
		if ok && node > 0 {
			list = append(list, limit{node, key, f.Resource, f.At, f.Limit, f.Used + f.Asked - f.Limit})
		}
	}
	for _, short := range p.first() {
		if len(p.failed) == 0 && short.Quota && short.Pool < 0 {
			name := p.Names[short.Resource]
			quota, at := p.quotaOf(short.Node)
			list = append(list, limit{short.Node, name, name, at["quota."+name], quota.Get(name), short.Asked - short.Free})
		}
	}
	return list
}

// quotaOf is the quota that a node has, and where a tenant's stands.
func (p *points) quotaOf(node int) (quota *model.Resources, at map[string]string) {
	n := p.Nodes[node]
	if n.Tenant != nil {
		return n.Tenant.Quota, n.Tenant.At
	}
	if g, ok := model.Find(p.Fleet.Platform.Groups, n.Name); ok {
		quota = g.Quota
	}
	return quota, nil
}

// groupOf is the group of a name above the tenant.
func (s *search) groupOf(name string) int {
	i := s.Nodes[s.app.Tenant].Parent
	for i > 0 && s.Nodes[i].Name != name {
		i = s.Nodes[i].Parent
	}
	return i
}

// units lists how many units more of a limit of a node may be enough where so much is lacking: others at or below the node that have no
// place, or are refused by the gate, may get some of it first, in the order in which they pass it. Without a resource they are counted.
func (s *search) units(node int, resource string, lack, u int64, refused bool) []int64 {
	units, sum := []int64{ceil(lack, u), 2 * ceil(lack, u)}, lack
	apps := slices.SortedFunc(slices.Values(s.Members[node]), solve.FirstCome)
	if s.Nodes[node].Tenant == nil {
		apps = s.FirstComeOrder()
	}
	for _, app := range apps {
		if app == s.app || app.Wanted == nil || app.Granted() || refused && app.Levels != nil || !s.Above(node, app.Tenant) || len(units) == 18 {
			continue
		}
		if r, ok := s.Index[resource]; ok {
			sum += s.AsksFor(app, app.Wanted)[r]
		} else {
			sum += int64(max(1, len(app.Wanted.Components)))
		}
		units = append(units, ceil(sum, u))
	}
	return smallest(units, 1<<50)
}

// more is so many units more of a limit, each time.
func (p *points) more(of solve.Limit, node, pool, r int, u int64) func(n int64) solve.More {
	return func(n int64) solve.More {
		m := solve.More{Of: of, Node: node, Pool: pool, Amount: p.Zero()}
		m.Amount[r] = n * u
		return m
	}
}

// raise completes a change of a limit of a node that has so much, by units: it says how it is told.
func (p *points) raise(ch change, node int, limit, resource string, has, u int64) change {
	whose, name := "group", p.Nodes[node].Name
	if p.Nodes[node].Tenant != nil {
		whose = "tenant"
	}
	ch.between = true
	ch.tell = func(n int64) model.Advice {
		to := model.FormatAmount(resource, has+n*u)
		return model.Advice{Amount: to, Was: model.FormatAmount(resource, has), Text: fmt.Sprintf("raise %s of %s %s to %s", limit, whose, name, to),
			Settings: []model.Setting{{Kind: "set", Path: whose + "." + name + "." + limit, Value: to}}}
	}
	return ch
}

// moreQuota raises the quota that refuses the application, of its tenant or of a group.
func (s *search) moreQuota(p *points) (list []change) {
	for _, l := range p.limits() {
		u, more := int64(1), (func(n int64) solve.More)(nil) // for what runs degraded
		if l.resource != "" {
			u = unit(s.Index[l.resource])
			more = p.more(solve.Quota, l.node, 0, s.Index[l.resource], u)
		}
		raised := func(quota *model.Resources, n int64) *model.Resources {
			if quota == nil { // of another one of this name
				return nil
			}
			return new(quota.With(l.key, quota.Get(l.key)+n*u))
		}
		list = append(list, p.raise(change{
			kind: "quota", by: owner(l.at), list: s.units(l.node, l.resource, l.short, u, true),
			beyond: beyond{
				more: more,
				inputs: func(in *solve.Inputs, n int64) {
					if l.node != s.app.Tenant {
						editGroup(in, s.Nodes[l.node].Name, func(g *model.Group) { g.Quota = raised(g.Quota, n) })
						return
					}
					editTenant(in, s.app.ID.Tenant, func(t *model.Tenant) {
						switch l.key {
						case "applications":
							t.MaxApplications += int(n)
						case "workloads":
							t.MaxWorkloads += int(n)
						default:
							t.Quota = raised(t.Quota, n)
						}
					})
				},
				quota: func(n int64) solve.Raise { return solve.Raise{Node: l.node, Key: l.key, By: n * u} },
			},
		}, l.node, "quota."+l.key, l.resource, l.has, u))
	}
	return list
}

// moreGuarantee guarantees the tenant more, as far as all guarantees together stay within the capacity.
func (s *search) moreGuarantee(p *points) (list []change) {
	if len(p.failed) > 0 || s.Nodes[s.app.Tenant].Weight == 0 && s.Fleet.Tenants == nil {
		return nil
	}
	n, sum := s.Nodes[s.app.Tenant], s.Zero() // of all guarantees
	for i := range s.Fleet.Tenants {
		sum.Add(s.Of(s.Fleet.Tenants[i].Guarantee))
	}
	for i, r := range p.asks {
		u, name := unit(r), s.Names[r]
		had := n.Guarantee[r]
		least, full := p.levels[len(p.levels)-1].Total[r], p.levels[0].Total[r]
		left := (s.Total[r] - sum[r]) / u
		var amounts []int64
		for _, ask := range []int64{least, full} {
			amounts = append(amounts, ceil(max(0, n.Used[r]-had)+ask, u), ceil(ask, u), ceil(ask-max(0, had-n.Used[r]), u))
		}
		list = append(list, p.raise(change{
			kind: "guarantee", by: model.ByPlatform, list: smallest(append(amounts, left), left), only: i >= len(p.resources),
			beyond: beyond{more: p.more(solve.Guarantee, s.app.Tenant, 0, r, u), inputs: func(in *solve.Inputs, n int64) {
				editTenant(in, s.app.ID.Tenant, func(t *model.Tenant) { t.Guarantee = t.Guarantee.With(name, had+n*u) })
			}},
		}, s.app.Tenant, "guarantee."+name, name, had, u))
	}
	return list
}

// editTenant changes a tenant in inputs.
func editTenant(in *solve.Inputs, name string, change func(*model.Tenant)) {
	in.Fleet.Tenants = slices.Clone(in.Fleet.Tenants)
	for i := range in.Fleet.Tenants {
		if t := &in.Fleet.Tenants[i]; t.Name == name {
			change(t)
		}
	}
}

// editGroup changes a group in inputs.
func editGroup(in *solve.Inputs, name string, change func(*model.Group)) {
	platform := *in.Fleet.Platform
	platform.Groups = slices.Clone(platform.Groups)
	for i := range platform.Groups {
		if g := &platform.Groups[i]; g.Name == name {
			change(g)
		}
	}
	in.Fleet.Platform = &platform
}

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
