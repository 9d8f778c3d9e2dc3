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
	model.Group
	Guarantee *resourcesDoc  `json:"guarantee"`
	Quota     *groupQuotaDoc `json:"quota"`
	Borrow    *resourcesDoc  `json:"borrow"`
	Lend      *resourcesDoc  `json:"lend"`
}

type groupQuotaDoc struct {
	resourcesDoc
	Pools poolsDoc `json:"pools"`
}

type reservationDoc struct {
	model.Reservation
	Amount *resourcesDoc `json:"amount"`
}

// groups returns the groups of the platform by name, and the problems of their tree.
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
	g = d.Group
	g.Name, g.Tenants = name, sorted(g.Tenants)
	var bad [5][]model.Problem
	g.Guarantee, bad[0] = d.Guarantee.amount(path+".guarantee", own)
	if d.Quota != nil {
		g.Quota, bad[1] = d.Quota.ceiling(path+".quota", own)
		g.PoolQuotas, bad[4] = d.Quota.Pools.quotas(path+".quota", own, own)
	}
	g.Borrow, bad[2] = d.Borrow.ceiling(path+".borrow", own)
	g.Lend, bad[3] = d.Lend.ceiling(path+".lend", own)
	problems = slices.Concat(bad[:]...)
	if g.Quota != nil && !g.Guarantee.Fits(*g.Quota) {
		problems = append(problems, own.Blame(catalogue.Guarantee, path+".guarantee",
			fmt.Sprintf("promises %v, more than the quota of %v", g.Guarantee, *g.Quota)))
	}
	return g, problems
}

// groupCycles finds groups that contain themselves. Each group has one parent, so every
// cycle is found from each of its groups. It is reported for the first.
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

// reservations returns the reservations of the platform by name.
func reservations(docs map[string]reservationDoc, pools []model.PoolSpec, own *layer.Layer) (out []model.Reservation, problems []model.Problem) {
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		d, path := docs[name], "platform.reservations."+name
		r := d.Reservation
		r.Name = name
		named := slices.DeleteFunc([]bool{r.Tenant != "", r.App != (model.AppID{}), r.System != ""}, func(named bool) bool { return !named })
		if whom := len(named); whom != 1 {
			problems = append(problems, own.Blame(catalogue.Reservation, path,
				fmt.Sprintf("is for %d of tenant, application and system; write exactly one", whom)))
		}
		if _, ok := model.Find(pools, d.Pool); !ok {
			problems = append(problems, own.Blame(catalogue.Pool, path+".pool", "is in pool "+d.Pool+", which the platform does not have"))
		}
		var bad []model.Problem
		if r.Amount, bad = d.Amount.amount(path+".amount", own); bad == nil {
			out = append(out, r)
		}
		problems = append(problems, bad...)
	}
	return out, problems
}

// reserve adds the reservations of a tenant to it. They are part of its guarantee.
func (t *tenantDoc) reserve(into *model.Tenant, own, platform *layer.Layer) (problems []model.Problem) {
	var sum model.Resources
	for _, name := range slices.Sorted(maps.Keys(t.Reservations)) {
		d, path := t.Reservations[name], "tenant.reservations."+name
		if _, ok := platform.Value("platform.pools." + d.Pool); !ok {
			problems = append(problems, own.Blame(catalogue.Pool, path+".pool", "is in pool "+d.Pool+", which the platform does not have"))
		}
		amount, bad := d.Amount.amount(path+".amount", own)
		if bad != nil {
			problems = append(problems, bad...)
			continue
		}
		sum = sum.Add(amount)
		into.Reservations = append(into.Reservations, model.Reservation{
			Name: name, App: model.AppID{Tenant: t.Name, Name: d.Application}, Pool: d.Pool, Amount: amount,
		})
	}
	if !sum.Fits(into.Guarantee) {
		problems = append(problems, own.Blame(catalogue.Reserved, "tenant.reservations",
			fmt.Sprintf("keeps %v of a guarantee of %v", sum, into.Guarantee)))
	}
	return problems
}
