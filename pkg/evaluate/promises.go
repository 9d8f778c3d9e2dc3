package evaluate

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// promises checks what the platform and its tenants promise together. A promise
// that cannot be kept refuses nobody: arbitration scales guarantees down.
func (p *pass) promises() {
	if p.fleet.Platform == nil {
		return
	}
	p.members()
	p.beneficiaries()
	floors := p.floors()
	p.guarantees(floors)
	p.reserved()
}

// tenant returns a valid tenant of the fleet.
func (p *pass) tenant(name string) (model.Tenant, bool) {
	i := slices.IndexFunc(p.fleet.Tenants, func(t model.Tenant) bool { return t.Name == name })
	if i < 0 {
		return model.Tenant{}, false
	}
	return p.fleet.Tenants[i], true
}

// declares says whether Git declares a tenant, or may for all that could be read.
func (p *pass) declares(tenant string) bool {
	_, ok := p.tenant(tenant)
	return ok || p.fleet.Incomplete || slices.Contains(p.fleet.UnusableTenants, tenant)
}

// members says which groups have tenants that nobody declares.
func (p *pass) members() {
	for _, g := range p.fleet.Platform.Groups {
		for _, name := range g.Tenants {
			if !p.declares(name) {
				p.report("", "", p.platform.layer.blame(codeNobody, "platform.groups."+g.Name+".tenants", "has tenant "+name+", which the fleet does not declare"))
			}
		}
	}
}

// beneficiaries says which reservations are for nobody.
func (p *pass) beneficiaries() {
	apps := map[model.AppID]bool{}
	known := func(app model.AppID) bool {
		if len(apps) == 0 {
			for i := range p.fleet.Applications {
				apps[p.fleet.Applications[i].ID] = true
			}
			for _, u := range p.fleet.Unusable {
				apps[u.App] = true
			}
		}
		return apps[app] || p.fleet.Incomplete
	}
	for _, r := range p.fleet.Platform.Reservations {
		path := "platform.reservations." + r.Name
		if r.Tenant != "" && !p.declares(r.Tenant) {
			p.report("", "", p.platform.layer.blame(codeNobody, path+".tenant", "is for tenant "+r.Tenant+", which the fleet does not declare"))
		}
		if r.App != (model.AppID{}) && !known(r.App) {
			p.report("", "", p.platform.layer.blame(codeNobody, path+".application", "is for "+r.App.String()+", which the fleet does not declare"))
		}
	}
	for _, t := range p.fleet.Tenants {
		for _, r := range t.Reservations {
			if !known(r.App) {
				path := "reservations." + r.Name + ".application"
				p.report(t.Name, "", model.Problem{
					Code: codeNobody, Path: "tenant." + path, Message: "is for " + r.App.String() + ", which the fleet does not declare",
					Places: []model.Place{{At: t.At[path], Note: fmt.Sprintf("%q", r.App.Name)}},
				})
			}
		}
	}
}

// A floor is what one at the top of the tree is promised.
type floor struct {
	who    string
	amount model.Resources
	at     string
}

// floors returns those of the groups and tenants at the top of the tree, and says
// which groups promise their members more than they have.
func (p *pass) floors() (top []floor) {
	platform, own := p.fleet.Platform, &p.platform.layer
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
			if t, ok := p.tenant(name); ok && !t.Guarantee.IsZero() {
				members = append(members, floorOf(t))
			}
		}
		var sum model.Resources
		var places []model.Place
		for _, m := range members {
			sum = sum.Add(m.amount)
			places = append(places, model.Place{At: m.at, Note: m.who + ": " + m.amount.String()})
		}
		path := "platform.groups." + g.Name
		if !g.Guarantee.IsZero() {
			e, _ := own.where.exact(path + ".guarantee")
			if !sum.Fits(g.Guarantee) {
				p.report("", "", model.Problem{
					Code: codeGroupGuarantee, Path: path + ".guarantee",
					Message: fmt.Sprintf("promises %v, and its members are promised %v", g.Guarantee, sum),
					Places:  append([]model.Place{{At: e.value, Note: "group " + g.Name + ": " + g.Guarantee.String()}}, places...),
				})
			}
			return floor{"group " + g.Name, g.Guarantee, e.value}
		}
		e, _ := own.where.exact(path)
		if g.Quota != nil && !sum.Fits(*g.Quota) {
			p.report("", "", model.Problem{
				Code: codeGroupGuarantee, Path: path + ".quota",
				Message: fmt.Sprintf("has a quota of %v, and its members are promised %v", *g.Quota, sum),
				Places:  append([]model.Place{{At: e.value, Note: "group " + g.Name}}, places...),
			})
		}
		return floor{"group " + g.Name, sum, e.value}
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

// guarantees says when more was promised than there is, where the platform
// declares what there is.
func (p *pass) guarantees(floors []floor) {
	if len(p.fleet.Platform.Pools) == 0 {
		return
	}
	var have, promised model.Resources
	for _, pool := range p.fleet.Platform.Pools {
		if pool.Capacity == nil {
			return // discovered: only arbitration knows
		}
		have = have.Add(*pool.Capacity)
	}
	problem := model.Problem{Code: codeGuarantees, Path: "platform.pools"}
	for _, f := range floors {
		promised = promised.Add(f.amount)
		problem.Places = append(problem.Places, model.Place{At: f.at, Note: f.who + ": " + f.amount.String()})
	}
	for _, r := range p.fleet.Platform.Reservations {
		if r.System == "" { // of each node: nobody knows how many there are
			promised = promised.Add(r.Amount)
			problem.Places = append(problem.Places, p.keeps(r))
		}
	}
	if !promised.Fits(have) {
		problem.Message = fmt.Sprintf("tenants are promised %v, and all pools together have %v", promised, have)
		p.report("", "", problem)
	}
}

func (p *pass) keeps(r model.Reservation) model.Place {
	e, _ := p.platform.layer.where.exact("platform.reservations." + r.Name)
	return model.Place{At: e.value, Note: "reservation " + r.Name + ": " + r.Amount.String()}
}

// reserved says which pools have less than is to be kept in them.
func (p *pass) reserved() {
	for _, pool := range p.fleet.Platform.Pools {
		if pool.Capacity == nil {
			continue
		}
		var sum model.Resources
		problem := model.Problem{Code: codePoolReserved, Path: "platform.pools." + pool.Name}
		for _, r := range p.fleet.Platform.Reservations {
			if r.Pool == pool.Name && r.System == "" {
				sum = sum.Add(r.Amount)
				problem.Places = append(problem.Places, p.keeps(r))
			}
		}
		for _, t := range p.fleet.Tenants {
			for _, r := range t.Reservations {
				if r.Pool == pool.Name {
					sum = sum.Add(r.Amount)
					problem.Places = append(problem.Places, model.Place{
						At: t.At["reservations."+r.Name], Note: fmt.Sprintf("reservation %s of tenant %s: %v", r.Name, t.Name, r.Amount),
					})
				}
			}
		}
		if !sum.Fits(*pool.Capacity) {
			problem.Message = fmt.Sprintf("has %v, and %v are reserved in it", *pool.Capacity, sum)
			p.report("", "", problem)
		}
	}
}
