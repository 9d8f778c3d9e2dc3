package turn

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Orphans returns the inventories of applications that a ledger has no record of. They are
// in order, and an application may have moved to another namespace. Nothing prunes their
// objects before a file confirms it: nobody knows who wanted them.
func Orphans(inventories []model.Inventory, ledger *model.Ledger) (list []model.Inventory) {
	for i := range inventories {
		inv := &inventories[i]
		if _, known := ledger.Find(inv.App); known || ledger.DamagedOf(inv.App) != nil || !model.ValidName(inv.App.Tenant) || !model.ValidName(inv.App.Name) {
			continue
		}
		if n := len(list); n == 0 || list[n-1].App != inv.App {
			list = append(list, *inv)
		}
	}
	return list
}

// orphans returns the orphans, those marked whose removal a person has confirmed. Only
// that lets them go: nobody else knows who wanted them. Fleet is the one that is used. What
// it declares becomes an application again and is not removed.
func (c *Case) orphans(fleet *model.Fleet) []model.Inventory {
	marked := slices.Clone(c.Orphans)
	for i := range marked {
		o := &marked[i]
		o.Confirmed = !fleet.Incomplete && slices.Contains(c.Requests.Removals, o.ID()) && !declares(fleet, o.App)
	}
	return marked
}

// declares reports whether a fleet declares an application, valid or not.
func declares(fleet *model.Fleet, app model.AppID) bool {
	return slices.ContainsFunc(fleet.Applications, func(a *model.Application) bool { return a.ID == app }) ||
		slices.ContainsFunc(fleet.Unusable, func(u model.Unusable) bool { return u.App == app })
}
