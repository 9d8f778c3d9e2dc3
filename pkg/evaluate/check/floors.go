package check

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// A floor is the guarantee of a group or tenant at the top of the tree.
type floor struct {
	who    string
	amount model.Resources
	at     string
}

// floors returns the guarantees of the groups and tenants at the top of the tree. It
// blames groups whose members are guaranteed more than the group.
func (p *promises) floors() (top []floor) {
	platform := p.fleet.Platform
	grouped := map[string]bool{}
	var of func(g model.Group) floor
	of = func(g model.Group) floor {
		var members []floor
		for _, child := range platform.Groups {
			if child.Parent == g.Name {
				members = append(members, of(child))
			}
		}
		for _, name := range g.Tenants {
			grouped[name] = true
			if t, ok := model.Find(p.fleet.Tenants, name); ok && !t.Guarantee.IsZero() {
				members = append(members, floorOf(*t))
			}
		}
		var sum model.Resources
		var places []model.Place
		for _, m := range members {
			sum = sum.Add(m.amount)
			places = append(places, model.Place{At: m.at, Note: m.who + ": " + m.amount.String()})
		}
		path := "platform.groups." + g.Name
		exceeded := func(field, message, at, note string) {
			p.problems = append(p.problems, model.Problem{
				Code: catalogue.GroupGuarantee, Path: path + field, Message: message, Places: append([]model.Place{{At: at, Note: note}}, places...),
			})
		}
		if !g.Guarantee.IsZero() {
			at, _ := p.own.Value(path + ".guarantee")
			if !sum.Fits(g.Guarantee) {
				exceeded(".guarantee", fmt.Sprintf("promises %v, and its members are promised %v", g.Guarantee, sum), at, "group "+g.Name+": "+g.Guarantee.String())
			}
			return floor{"group " + g.Name, g.Guarantee, at}
		}
		at, _ := p.own.Value(path)
		if g.Quota != nil && !sum.Fits(*g.Quota) {
			exceeded(".quota", fmt.Sprintf("has a quota of %v, and its members are promised %v", *g.Quota, sum), at, "group "+g.Name)
		}
		return floor{"group " + g.Name, sum, at}
	}
	for _, g := range platform.Groups {
		if f := of(g); g.Parent == "" && !f.amount.IsZero() {
			top = append(top, f)
		}
	}
	for _, t := range p.fleet.Tenants {
		if !grouped[t.Name] && !t.Guarantee.IsZero() {
			top = append(top, floorOf(t))
		}
	}
	return top
}

func floorOf(t model.Tenant) floor {
	return floor{"tenant " + t.Name, t.Guarantee, t.At["guarantee"]}
}
