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
