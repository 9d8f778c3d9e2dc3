package view

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// Plan is the effect of a change of the fleet repo.
type Plan struct {
	Result plan.Result `json:"result"` // same | changes | refused
	plan.Comparison

	Left *Left `json:"left,omitempty"` // what Bounded or Page has left out; nil: nothing
}

// PlanOf returns the answer for a comparison.
func PlanOf(c plan.Comparison) Plan {
	// [] and not null in JSON
	c.Notes = append([]string{}, c.Notes...)
	c.Applications = append([]plan.Application{}, c.Applications...)
	c.Tenants = append([]plan.Tenant{}, c.Tenants...)
	c.Touched = append([]plan.Touched{}, c.Touched...)
	c.Waits.First = append([]plan.WaitingApp{}, c.Waits.First...)
	c.Runs = append([]plan.RunChange{}, c.Runs...)
	c.Objects = append([]plan.ObjectChange{}, c.Objects...)
	c.Problems = append([]model.Problem{}, c.Problems...)
	c.Solved = append([]model.Problem{}, c.Solved...)
	return Plan{Result: c.Result(), Comparison: c}
}

// Left is how much of the effect of a change an answer leaves out.
type Left struct {
	Applications int `json:"applications,omitempty"`
	Edited       int `json:"edited,omitempty"` // those of the applications whose declarations differ
	Objects      int `json:"objects,omitempty"`
	Runs         int `json:"runs,omitempty"`
	Tenants      int `json:"tenants,omitempty"`
	Touched      int `json:"touched,omitempty"`
	Problems     int `json:"problems,omitempty"` // those that are solved among them
}

// Bounded returns the plan with at most MaxRows rows of each sort about those whose declarations do not differ, the most important
// first, and the number of those that it leaves out: one change of capacity may move all of a fleet. Prices, counts and the result stay
// those of all. What is edited is there in full.
func (v Plan) Bounded() Plan { return v.bounded(len(v.Applications)) }

// Page is Bounded for a page, with at most MaxRows applications that are edited, and problems: a change of the platform edits all of
// a fleet.
func (v Plan) Page() Plan {
	page := v.bounded(MaxRows)
	page.Problems, page.Solved = firstRows(v.Problems), firstRows(v.Solved)
	if more := len(v.Problems) + len(v.Solved) - len(page.Problems) - len(page.Solved); more > 0 {
		if page.Left == nil {
			page.Left = &Left{}
		}
		page.Left.Problems = more
	}
	return page
}

func firstRows[T any](list []T) []T { return list[:min(len(list), MaxRows)] }

// bounded bounds the plan, with at most so many applications that are edited.
func (v Plan) bounded(most int) Plan {
	all, affected := v, map[model.AppID]bool{}
	for i := range v.Applications {
		affected[v.Applications[i].App] = true
	}
	var left Left
	listed := map[model.AppID]bool{} // reports whether it is edited
	v.Applications = atMost(v.Applications, most, func(a *plan.Application) bool { return a.Edited })
	for i := range v.Applications {
		listed[v.Applications[i].App] = v.Applications[i].Edited
	}
	left.Applications = len(all.Applications) - len(v.Applications)
	for i := range all.Applications {
		if _, is := listed[all.Applications[i].App]; !is && all.Applications[i].Edited {
			left.Edited++
		}
	}
	v.Objects = kept(v.Objects, func(o *plan.ObjectChange) bool { _, is := listed[o.App]; return is || !affected[o.App] })
	v.Objects = atMost(v.Objects, len(v.Objects), func(o *plan.ObjectChange) bool { return listed[o.App] })
	left.Objects = len(all.Objects) - len(v.Objects)
	v.Runs = atMost(v.Runs, len(v.Runs), func(r *plan.RunChange) bool { return listed[r.App] })
	left.Runs = len(all.Runs) - len(v.Runs)
	v.Tenants, v.Touched = firstRows(v.Tenants), firstRows(v.Touched)
	left.Tenants = len(all.Tenants) - len(v.Tenants)
	left.Touched = len(all.Touched) - len(v.Touched)
	if left != (Left{}) {
		v.Left = &left
	}
	return v
}

// atMost returns the first rows of a list: so many of its own, and MaxRows of the others, in order.
func atMost[T any](list []T, most int, own func(*T) bool) []T {
	others := 0
	return kept(list, func(row *T) bool {
		if own(row) {
			most--
			return most >= 0
		}
		others++
		return others <= MaxRows
	})
}
