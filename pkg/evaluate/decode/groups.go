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

type groupDoc struct {
	Parent    string        `json:"parent"`
	Tenants   []string      `json:"tenants"`
	Weight    int           `json:"weight"`
	Guarantee *resourcesDoc `json:"guarantee"`
	Quota     *resourcesDoc `json:"quota"`
	Borrow    *resourcesDoc `json:"borrow"`
	Lend      *resourcesDoc `json:"lend"`
}

type reservationDoc struct {
	Tenant      string        `json:"tenant"`
	Application string        `json:"application"`
	System      string        `json:"system"`
	Pool        string        `json:"pool"`
	Amount      *resourcesDoc `json:"amount"`
}

// groups are the groups of the platform by name, and what is wrong with their tree.
func groups(docs map[string]groupDoc, own *layer.Layer) (out []model.Group, problems []model.Problem) {
	member := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		d, path := docs[name], "platform.groups."+name
		g, bad := d.group(name, path, own)
		out, problems = append(out, g), append(problems, bad...)
		if _, ok := docs[d.Parent]; d.Parent != "" && !ok {
			problems = append(problems, own.Blame(catalogue.GroupTree, path+".parent", "is in group "+d.Parent+", which the platform does not have"))
		}
		for _, tenant := range g.Tenants {
			if other, ok := member[tenant]; ok {
				problems = append(problems, own.Blame(catalogue.TwoGroups, path+".tenants",
					fmt.Sprintf("has tenant %s, which is in group %s already; a tenant is in one group", tenant, other)))
			}
			member[tenant] = name
		}
	}
	return out, append(problems, groupCycles(docs, own)...)
}

func (d groupDoc) group(name, path string, own *layer.Layer) (g model.Group, problems []model.Problem) {
	g = model.Group{Name: name, Parent: d.Parent, Tenants: sorted(d.Tenants), Weight: d.Weight}
	var bad [4]*model.Problem
	var guarantee *model.Resources
	if guarantee, bad[0] = d.Guarantee.amount(path+".guarantee", own); guarantee != nil {
		g.Guarantee = *guarantee
	}
	g.Quota, bad[1] = d.Quota.ceiling(path+".quota", own)
	g.Borrow, bad[2] = d.Borrow.ceiling(path+".borrow", own)
	g.Lend, bad[3] = d.Lend.ceiling(path+".lend", own)
	for _, p := range bad {
		if p != nil {
			problems = append(problems, *p)
		}
	}
	if g.Quota != nil && !g.Guarantee.Fits(*g.Quota) {
		problems = append(problems, own.Blame(catalogue.Guarantee, path+".guarantee",
			fmt.Sprintf("promises %v, more than the quota of %v", g.Guarantee, *g.Quota)))
	}
	return g, problems
}

// groupCycles finds groups that are in themselves. Each has one parent, so every
// cycle is found from each of its groups; it is said for the first.
func groupCycles(docs map[string]groupDoc, own *layer.Layer) (problems []model.Problem) {
	said := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		trail := []string{name}
		for at := docs[name].Parent; at != "" && !slices.Contains(trail, at); at = docs[at].Parent {
			trail = append(trail, at)
		}
		if docs[trail[len(trail)-1]].Parent != name || said[name] {
			continue
		}
		for _, g := range trail {
			said[g] = true
		}
		problems = append(problems, own.Blame(catalogue.GroupTree, "platform.groups."+name+".parent",
			"is in itself: "+strings.Join(append(trail, name), " in ")))
	}
	return problems
}

// reservations are those of the platform by name.
func reservations(docs map[string]reservationDoc, pools []model.PoolSpec, own *layer.Layer) (out []model.Reservation, problems []model.Problem) {
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		d, path := docs[name], "platform.reservations."+name
		r := model.Reservation{Name: name, Tenant: d.Tenant, System: d.System, Pool: d.Pool}
		r.App.Tenant, r.App.Name, _ = strings.Cut(d.Application, "/")
		whom := 0
		for _, s := range []string{d.Tenant, d.Application, d.System} {
			if s != "" {
				whom++
			}
		}
		if whom != 1 {
			problems = append(problems, own.Blame(catalogue.Reservation, path,
				fmt.Sprintf("is for %d of tenant, application and system; write exactly one", whom)))
		}
		if !slices.ContainsFunc(pools, func(p model.PoolSpec) bool { return p.Name == d.Pool }) {
			problems = append(problems, own.Blame(catalogue.Pool, path+".pool", "is in pool "+d.Pool+", which the platform does not have"))
		}
		amount, problem := d.Amount.amount(path+".amount", own)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		r.Amount = *amount
		out = append(out, r)
	}
	return out, problems
}

// reserve adds a tenant's reservations to it. They are part of what it is
// guaranteed.
func (t *tenantDoc) reserve(into *model.Tenant, own, platform *layer.Layer) (problems []model.Problem) {
	var sum model.Resources
	for _, name := range slices.Sorted(maps.Keys(t.Reservations)) {
		d, path := t.Reservations[name], "tenant.reservations."+name
		if _, ok := platform.Value("platform.pools." + d.Pool); !ok {
			problems = append(problems, own.Blame(catalogue.Pool, path+".pool", "is in pool "+d.Pool+", which the platform does not have"))
		}
		amount, problem := d.Amount.amount(path+".amount", own)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		sum = sum.Add(*amount)
		into.Reservations = append(into.Reservations, model.Reservation{
			Name: name, App: model.AppID{Tenant: t.Name, Name: d.Application}, Pool: d.Pool, Amount: *amount,
		})
	}
	if !sum.Fits(into.Guarantee) {
		problems = append(problems, own.Blame(catalogue.Reserved, "tenant.reservations",
			fmt.Sprintf("keeps %v of a guarantee of %v", sum, into.Guarantee)))
	}
	return problems
}
