package turn

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Orphans returns the orphans that were found, those marked whose removal a person has
// confirmed. Only that lets them go: nobody else knows who wanted them. Fleet is that of
// the outcome. What it declares becomes an application again and is not removed.
func Orphans(found []model.Inventory, fleet *model.Fleet, confirmed []model.InstanceID) []model.Inventory {
	if len(found) == 0 || len(confirmed) == 0 || fleet.Incomplete {
		return found
	}
	marked := slices.Clone(found)
	for i := range marked {
		o := &marked[i]
		o.Confirmed = slices.Contains(confirmed, o.ID()) && !declares(fleet, o.App)
	}
	return marked
}

// declares reports whether a fleet declares an application, valid or not.
func declares(fleet *model.Fleet, app model.AppID) bool {
	return slices.ContainsFunc(fleet.Applications, func(a *model.Application) bool { return a.ID == app }) ||
		slices.ContainsFunc(fleet.Unusable, func(u model.Unusable) bool { return u.App == app })
}
