package turn

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

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
