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
			has, at := p.QuotaOf(short.Node, short.Resource)
			list = append(list, limit{short.Node, name, name, at, has, short.Asked - short.Free})
		}
	}
	return list
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
	for _, app := range s.FirstComeOrder() {
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
		list = append(list, change{
			kind: "quota", by: owner(l.at), list: smallest(units, 1<<50), between: true,
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
	n, sum := &s.Nodes[s.app.Tenant], s.Zero()
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
		list = append(list, change{
			kind: "guarantee", by: model.ByPlatform, list: smallest(append(amounts, left), left), between: true, only: i >= len(p.resources),
			inputs: func(in *solve.Inputs, n int64) {
				editTenant(in, s.app.ID.Tenant, func(t *model.Tenant) { t.Guarantee = t.Guarantee.With(name, had+n*u) })
			},
			tell: func(n int64) model.Advice {
				to := model.FormatAmount(name, had+n*u)
				return model.Advice{Amount: to, Was: model.FormatAmount(name, had), Text: fmt.Sprintf("raise guarantee.%s of tenant %s to %s", name, s.app.ID.Tenant, to),
					Settings: []model.Setting{{Kind: "set", Path: "tenant." + s.app.ID.Tenant + ".guarantee." + name, Value: to}}}
			},
		})
	}
	return list
}

// lack is what a pool has too little of.
type lack struct {
	resource int
	amount   int64
}

// moreCapacity adds to a pool that the application could run in what it lacks there: of one resource, and where several are short
// and none alone is enough, of all of them. Pools that it does not prefer come after that, where nothing was enough.
func (s *search) moreCapacity(p *points) (list []change) {
	seen := map[lack]bool{}
	for n, place := range p.lacks {
		for at := range s.Pools {
			var lacks []lack
			for _, short := range place {
				if short.Pool == at && !short.Quota && short.Resource >= 0 {
					lacks = append(lacks, lack{short.Resource, short.Asked - max(0, short.Free)})
				}
			}
			for _, l := range lacks {
				if key := (lack{at*len(s.Names) + l.resource, l.amount}); !seen[key] {
					seen[key] = true
					ch := s.enlargeOne(at, l)
					ch.only = n > 0
					list = append(list, ch)
				}
			}
			if len(lacks) > 1 {
				list = append(list, s.enlargeAll(at, lacks))
			}
		}
	}
	return list
}

// enlargeOne gives a pool more of one thing that it lacks.
func (s *search) enlargeOne(pool int, l lack) change {
	u := unit(l.resource)
	short := ceil(l.amount, u)
	units := []int64{short, 2 * short, 4 * short} // some of it may go to those that run degraded
	for _, ahead := range s.ahead() {
		units = append(units, ceil(l.amount+ahead[l.resource], u))
	}
	return s.enlarge(pool, smallest(units, 1<<50), true, func(n int64) []lack { return []lack{{l.resource, n * u}} })
}

// enlargeAll gives a pool more of all that it lacks: as little of the first as is enough with what there is of the others,
// then as little of the second, and so on.
func (s *search) enlargeAll(pool int, lacks []lack) change {
	ahead := append([]solve.Vector{s.Zero()}, s.ahead()...)
	all := func(n int64) []lack {
		more := slices.Clone(lacks)
		for i, l := range lacks {
			u := unit(l.resource)
			more[i].amount = ceil(l.amount+ahead[n-1][l.resource], u) * u
		}
		return more
	}
	var list []int64
	for i := range ahead {
		list = append(list, int64(i)+1)
	}
	ch := s.enlarge(pool, list, false, all)
	ch.only = true
	ch.next = func(n int64) *change { return s.enlargeLess(pool, all(n), 0, all(n)) }
	return ch
}

// enlargeLess gives a pool less of the thing in one place of a list, if it needs no more, then of the next, and begins anew as long as
// there is less than when it began: 1 stands for nothing.
func (s *search) enlargeLess(pool int, lacks []lack, at int, began []lack) *change {
	u := unit(lacks[at].resource)
	less := func(n int64) []lack {
		more := slices.Clone(lacks)
		more[at].amount = (n - 1) * u
		return more
	}
	ch := s.enlarge(pool, []int64{1, 1 + lacks[at].amount/u}, true, less)
	ch.next = func(n int64) *change {
		switch now := less(n); {
		case at+1 < len(lacks):
			return s.enlargeLess(pool, now, at+1, began)
		case !slices.Equal(now, began):
			return s.enlargeLess(pool, now, 0, now)
		}
		return nil
	}
	return &ch
}

// enlarge gives a pool more: how much of what follows from a number.
func (s *search) enlarge(pool int, list []int64, between bool, more func(n int64) []lack) change {
	name := s.Pools[pool].Name
	return change{
		kind: "capacity", by: model.ByPlatform, list: list, between: between,
		inputs: func(in *solve.Inputs, n int64) {
			in.Seen.Pools = slices.Clone(in.Seen.Pools)
			for i := range in.Seen.Pools {
				if q := &in.Seen.Pools[i]; q.Name == name {
					for _, l := range more(n) {
						r := s.Names[l.resource]
						q.Capacity = q.Capacity.With(r, q.Capacity.Get(r)+l.amount)
					}
				}
			}
		},
		tell: func(n int64) model.Advice {
			var parts []string
			var settings []model.Setting
			for _, l := range more(n) {
				if l.amount == 0 {
					continue
				}
				more, resource := s.Amount(l.resource, l.amount), s.Names[l.resource]
				parts = append(parts, more+" "+resource)
				settings = append(settings, model.Setting{Kind: "capacity", Path: name + "." + resource, Value: "+" + more})
			}
			more := strings.Join(parts, " and ")
			return model.Advice{Amount: more, Settings: settings, Text: "give pool " + name + " " + more + " more"}
		},
	}
}

// ahead is what those ask for at the least that wait too, added up in the order of their tenants and lines, and then what those ask for
// that are rejected: what becomes free may go to them first.
func (s *search) ahead() (sums []solve.Vector) {
	sum := s.Zero()
	add := func(amount solve.Vector) {
		sum.Add(amount)
		sums = append(sums, slices.Clone(sum))
	}
	for _, line := range s.Pending {
		for _, app := range line {
			if app != s.app && !app.Granted() && len(sums) < 16 {
				add(app.Levels[len(app.Levels)-1].Total)
			}
		}
	}
	for _, app := range s.Apps {
		if app != s.app && app.Wanted != nil && app.Verdict == model.VerdictRejected && len(sums) < 24 {
			add(s.AsksFor(app, app.Wanted))
		}
	}
	return sums
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
