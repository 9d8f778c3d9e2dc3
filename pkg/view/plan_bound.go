package view

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// Left is how much of the effect of a change an answer leaves out.
type Left struct {
	Applications int `json:"applications,omitempty"`
	Objects      int `json:"objects,omitempty"`
	Runs         int `json:"runs,omitempty"`
	Tenants      int `json:"tenants,omitempty"`
	Touched      int `json:"touched,omitempty"`
}

// Bounded returns the plan with at most MaxRows rows of each sort about those whose declarations do not differ, the most important
// first, and the number of those that it leaves out: one change of capacity may move all of a fleet. Prices, counts and the result stay
// those of all. What is edited is there in full.
func (v Plan) Bounded() Plan {
	edited := map[model.AppID]bool{}
	for i := range v.Applications {
		edited[v.Applications[i].App] = v.Applications[i].Edited
	}
	var left Left
	v.Applications, left.Applications = bounded(v.Applications, func(a *plan.Application) bool { return a.Edited })
	listed := map[model.AppID]bool{}
	for i := range v.Applications {
		listed[v.Applications[i].App] = true
	}
	neighbour := func(app model.AppID) bool { _, affected := edited[app]; return affected && !listed[app] }
	all := len(v.Objects)
	v.Objects = kept(v.Objects, func(o *plan.ObjectChange) bool { return !neighbour(o.App) })
	v.Objects, _ = bounded(v.Objects, func(o *plan.ObjectChange) bool { return edited[o.App] })
	left.Objects = all - len(v.Objects)
	v.Runs, left.Runs = bounded(v.Runs, func(r *plan.RunChange) bool { return edited[r.App] })
	v.Tenants, left.Tenants = bounded(v.Tenants, func(*plan.Tenant) bool { return false })
	v.Touched, left.Touched = bounded(v.Touched, func(*plan.Touched) bool { return false })
	if left != (Left{}) {
		v.Left = &left
	}
	return v
}

// bounded returns the rows that are its own, and the first MaxRows of the others, in order.
func bounded[T any](list []T, own func(*T) bool) (rows []T, left int) {
	others := 0
	rows = kept(list, func(row *T) bool {
		if own(row) {
			return true
		}
		others++
		return others <= MaxRows
	})
	return rows, len(list) - len(rows)
}
