package advice

import (
	"fmt"
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
	for i := range p.failed {
		f := &p.failed[i]
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
	n := &p.Nodes[node]
	if n.Tenant != nil {
		return n.Tenant.Quota, n.Tenant.At
	}
	for i := range p.Fleet.Platform.Groups {
		if g := &p.Fleet.Platform.Groups[i]; g.Name == n.Name {
			quota = g.Quota
		}
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

// placeless is what others at or below a node ask for that have no place, or are refused by the gate, added up in the order in which
// they pass it: what there is more of may go to them first. Without a resource they are counted.
func (s *search) placeless(node int, resource string, refused bool) (sums []int64) {
	var sum int64
	apps := slices.SortedFunc(slices.Values(s.Members[node]), solve.FirstCome)
	if s.Nodes[node].Tenant == nil {
		apps = s.FirstComeOrder()
	}
	for _, app := range apps {
		if app == s.app || app.Wanted == nil || app.Granted() || refused && app.Levels != nil || !s.Above(node, app.Tenant) || len(sums) == 16 {
			continue
		}
		if r, ok := s.Index[resource]; ok {
			sum += s.AsksFor(app, app.Wanted)[r]
		} else {
			sum += int64(max(1, len(app.Wanted.Components)))
		}
		sums = append(sums, sum)
	}
	return sums
}

// moreQuota raises the quota that refuses the application, of its tenant or of a group.
func (s *search) moreQuota(p *points) (list []change) {
	for _, l := range p.limits() {
		key, group := l.key, ""
		u, whose, path := int64(1), "tenant "+s.app.ID.Tenant, "tenant."+s.app.ID.Tenant
		if l.resource != "" {
			u = unit(s.Index[l.resource])
		}
		if l.node != s.app.Tenant {
			group = s.Nodes[l.node].Name
			whose, path = "group "+group, "group."+group
		}
		short := ceil(l.short, u)
		units := []int64{short, 2 * short}
		for _, sum := range s.placeless(l.node, l.resource, true) {
			units = append(units, ceil(l.short+sum, u))
		}
		var more func(n int64) solve.More // for what runs degraded
		if l.resource != "" {
			more = func(n int64) solve.More {
				m := solve.More{Of: solve.Quota, Node: l.node, Amount: s.Zero()}
				m.Amount[s.Index[l.resource]] = n * u
				return m
			}
		}
		list = append(list, change{
			kind: "quota", by: owner(l.at), list: smallest(units, 1<<50), between: true,
			beyond: beyond{
				more: more,
				inputs: func(in *solve.Inputs, n int64) {
					if group != "" {
						editGroup(in, group, func(g *model.Group) {
							if g.Quota == nil { // another one of this name
								return
							}
							quota := g.Quota.With(key, g.Quota.Get(key)+n*u)
							g.Quota = &quota
						})
						return
					}
					editTenant(in, s.app.ID.Tenant, func(t *model.Tenant) {
						switch {
						case key == "applications":
							t.MaxApplications += int(n)
						case key == "workloads":
							t.MaxWorkloads += int(n)
						case t.Quota != nil:
							quota := t.Quota.With(key, t.Quota.Get(key)+n*u)
							t.Quota = &quota
						}
					})
				},
				quota: func(n int64) solve.Raise { return solve.Raise{Node: l.node, Key: l.key, By: n * u} },
			},
			tell: func(n int64) model.Advice {
				to := model.FormatAmount(l.resource, l.has+n*u)
				return model.Advice{Amount: to, Was: model.FormatAmount(l.resource, l.has), Text: fmt.Sprintf("raise quota.%s of %s to %s", key, whose, to),
					Settings: []model.Setting{{Kind: "set", Path: path + ".quota." + key, Value: to}}}
			},
		})
	}
	return list
}

// moreGuarantee guarantees the tenant more, as far as all guarantees together stay within the capacity.
func (s *search) moreGuarantee(p *points) (list []change) {
	if len(p.failed) > 0 || s.Nodes[s.app.Tenant].Weight == 0 && s.Fleet.Tenants == nil {
		return nil
	}
	n, sum := &s.Nodes[s.app.Tenant], s.allGuaranteed()
	for i, r := range p.asks {
		u, name := unit(r), s.Names[r]
		had := n.Guarantee[r]
		least, full := p.levels[len(p.levels)-1].Total[r], p.levels[0].Total[r]
		left := (s.Total[r] - sum[r]) / u
		var amounts []int64
		for _, ask := range []int64{least, full} {
			amounts = append(amounts, ceil(max(0, n.Used[r]-had)+ask, u), ceil(ask, u), ceil(ask-max(0, had-n.Used[r]), u))
		}
		list = append(list, change{
			kind: "guarantee", by: model.ByPlatform, list: smallest(append(amounts, left), left), between: true, only: i >= len(p.resources),
			beyond: beyond{inputs: func(in *solve.Inputs, n int64) {
				editTenant(in, s.app.ID.Tenant, func(t *model.Tenant) { t.Guarantee = t.Guarantee.With(name, had+n*u) })
			}, more: func(n int64) solve.More {
				m := solve.More{Of: solve.Guarantee, Node: s.app.Tenant, Amount: s.Zero()}
				m.Amount[r] = n * u
				return m
			}},
			tell: func(n int64) model.Advice {
				to := model.FormatAmount(name, had+n*u)
				return model.Advice{Amount: to, Was: model.FormatAmount(name, had), Text: fmt.Sprintf("raise guarantee.%s of tenant %s to %s", name, s.app.ID.Tenant, to),
					Settings: []model.Setting{{Kind: "set", Path: "tenant." + s.app.ID.Tenant + ".guarantee." + name, Value: to}}}
			},
		})
	}
	return list
}

// allGuaranteed is what all tenants are guaranteed together.
func (a *Advisor) allGuaranteed() solve.Vector {
	if a.guaranteed == nil {
		a.guaranteed = a.Zero()
		for i := range a.Fleet.Tenants {
			a.guaranteed.Add(a.Of(a.Fleet.Tenants[i].Guarantee))
		}
	}
	return a.guaranteed
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
