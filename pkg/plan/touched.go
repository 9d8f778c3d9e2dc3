package plan

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Touched is a tenant whose applications, price or amounts the change affects.
type Touched struct {
	Tenant  string         `json:"tenant"`
	Price   Price          `json:"pricePerHour"`
	Amounts []AmountChange `json:"amounts"`
	Owners  []string       `json:"owners"` // handles of the people whom access names for the tenant; none: nobody is named
}

// AmountChange is what a tenant is granted of a resource, and what is left of its quota, on both sides.
type AmountChange struct {
	Resource string       `json:"resource"`
	Before   model.Amount `json:"before"`
	After    model.Amount `json:"after"`
}

// Differs reports whether the change affects the amount.
func (a *AmountChange) Differs() bool { return !reflect.DeepEqual(a.Before, a.After) }

// Headroom describes what is left of the quota: "4 → 2.5", "500m" where it stays, "no quota" where there is none.
func (a *AmountChange) Headroom() string {
	said := []string{"no quota", "no quota"}
	switch before, after := a.Before.Headroom, a.After.Headroom; {
	case before != nil && after != nil:
		said = model.ColumnAmounts(a.Resource, *before, *after)
	case before != nil:
		said[0] = model.ColumnAmounts(a.Resource, *before)[0]
	case after != nil:
		said[1] = model.ColumnAmounts(a.Resource, *after)[0]
	}
	if said[0] == said[1] {
		return said[1]
	}
	return said[0] + " → " + said[1]
}

// touched lists the tenants that a change touches, by name.
func touched(before, after *Outcome, apps []Application, prices map[string]Price) []Touched {
	was, is := model.UsageByTenant(&before.Ledger), model.UsageByTenant(&after.Ledger)
	x, y := tenantsOf(&before.Fleet), tenantsOf(&after.Fleet)
	names := map[string]bool{} // true: an application is affected
	for name := range x {
		names[name] = false
	}
	for name := range y {
		names[name] = false
	}
	for i := range apps {
		a := &apps[i]
		names[a.App.Tenant] = names[a.App.Tenant] || a.Effect != Requeued && a.Effect != Reworded
	}
	var list []Touched
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t := Touched{Tenant: name, Price: prices[name], Amounts: amounts(model.AmountsOf(x[name], was[name]), model.AmountsOf(y[name], is[name])), Owners: []string{}}
		if names[name] || t.Price.Before != t.Price.After || slices.ContainsFunc(t.Amounts, func(a AmountChange) bool { return a.Differs() }) {
			list = append(list, t)
		}
	}
	return list
}

func tenantsOf(fleet *model.Fleet) map[string]*model.Tenant {
	all := map[string]*model.Tenant{}
	for i := range fleet.Tenants {
		all[fleet.Tenants[i].Name] = &fleet.Tenants[i]
	}
	return all
}

// amounts joins the amounts of both sides by resource.
func amounts(before, after []model.Amount) []AmountChange {
	list := []AmountChange{}
	for _, a := range before {
		list = append(list, AmountChange{a.Resource, a, model.Amount{Resource: a.Resource}})
	}
	for _, a := range after {
		n := slices.IndexFunc(list, func(c AmountChange) bool { return c.Resource == a.Resource })
		if n < 0 {
			n = len(list)
			list = append(list, AmountChange{a.Resource, model.Amount{Resource: a.Resource}, a})
		}
		list[n].After = a
	}
	return list
}

// Waits are the applications that wait for capacity after the change.
type Waits struct {
	Total int          `json:"total"`
	First []WaitingApp `json:"first"` // the first places of all tenants first, at most mostWaits
}

// WaitingApp is an application that waits.
type WaitingApp struct {
	App      model.AppID `json:"application"`
	Position int         `json:"position"` // in the line of its tenant
	Before   int         `json:"before"`   // its position without the change; 0: it did not wait
	Message  string      `json:"message"`
}

// mostWaits bounds an answer: a whole fleet may wait.
const mostWaits = 100

// waitsAfter lists who waits after a change.
func waitsAfter(was, is map[model.AppID]*appState) Waits {
	all := []WaitingApp{}
	for app, s := range is {
		if !s.waits() || s.decision == nil {
			continue
		}
		w := WaitingApp{App: app, Position: s.position(), Message: s.decision.Message}
		if before := was[app]; before != nil {
			w.Before = before.position()
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b WaitingApp) int { return cmp.Or(cmp.Compare(a.Position, b.Position), a.App.Compare(b.App)) })
	return Waits{len(all), slices.Clip(all[:min(len(all), mostWaits)])}
}
