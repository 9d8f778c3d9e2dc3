package check

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// promises are the guarantees and reservations of the platform and its tenants.
type promises struct {
	fleet    *model.Fleet
	own      *layer.Layer // of the platform
	problems []model.Problem
}

// Promises checks the guarantees and reservations of the platform and its tenants, given
// the layer of the platform. Too large ones make no application unusable: arbitration
// scales guarantees down.
func Promises(fleet *model.Fleet, own *layer.Layer) []model.Problem {
	if fleet.Platform == nil {
		return nil
	}
	p := &promises{fleet: fleet, own: own}
	p.members()
	p.beneficiaries()
	p.guarantees(p.floors())
	p.reserved()
	return p.problems
}

// blame adds a problem with a value of the platform.
func (p *promises) blame(code, path, message string) {
	p.problems = append(p.problems, p.own.Blame(code, path, message))
}

// declares reports whether the fleet declares a tenant, or may declare it in files that
// cannot be read.
func (p *promises) declares(tenant string) bool {
	_, ok := model.Find(p.fleet.Tenants, tenant)
	return ok || p.fleet.Incomplete || slices.Contains(p.fleet.UnusableTenants, tenant)
}

// members blames groups for tenants that the fleet does not declare.
func (p *promises) members() {
	for _, g := range p.fleet.Platform.Groups {
		for _, name := range g.Tenants {
			if !p.declares(name) {
				p.blame(catalogue.Nobody, "platform.groups."+g.Name+".tenants", "has tenant "+name+", which the fleet does not declare")
			}
		}
	}
}

// beneficiaries blames reservations for owners that the fleet does not declare.
func (p *promises) beneficiaries() {
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
			p.blame(catalogue.Nobody, path+".tenant", "is for tenant "+r.Tenant+", which the fleet does not declare")
		}
		if r.App != (model.AppID{}) && !known(r.App) {
			p.blame(catalogue.Nobody, path+".application", "is for "+r.App.String()+", which the fleet does not declare")
		}
	}
	for _, t := range p.fleet.Tenants {
		for _, r := range t.Reservations {
			if !known(r.App) {
				path := "reservations." + r.Name + ".application"
				p.problems = append(p.problems, model.Problem{
					Tenant: t.Name,
					Code:   catalogue.Nobody, Path: "tenant." + path, Message: "is for " + r.App.String() + ", which the fleet does not declare",
					Places: []model.Place{{At: t.At[path], Note: fmt.Sprintf("%q", r.App.Name)}},
				})
			}
		}
	}
}

// guarantees blames guarantees above the capacity, if the platform declares all of it.
func (p *promises) guarantees(floors []floor) {
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
	problem := model.Problem{Code: catalogue.Guarantees, Path: "platform.pools"}
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
		p.problems = append(p.problems, problem)
	}
}

func (p *promises) keeps(r model.Reservation) model.Place {
	at, _ := p.own.Value("platform.reservations." + r.Name)
	return model.Place{At: at, Note: "reservation " + r.Name + ": " + r.Amount.String()}
}

// reserved blames pools whose reservations exceed their capacity.
func (p *promises) reserved() {
	for _, pool := range p.fleet.Platform.Pools {
		if pool.Capacity == nil {
			continue
		}
		var sum model.Resources
		problem := model.Problem{Code: catalogue.PoolReserved, Path: "platform.pools." + pool.Name}
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
			p.problems = append(p.problems, problem)
		}
	}
}
