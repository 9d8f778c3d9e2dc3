package view

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// Results of a plan.
const (
	PlanSame    = "same"
	PlanChanges = "changes"
	PlanRefused = "refused" // the change brings a problem, or an application is rejected because of it
)

// Plan is the effect of a change of the fleet repo.
type Plan struct {
	Result string    `json:"result"` // same | changes | refused
	Before Side      `json:"from"`
	After  Side      `json:"to"`
	Status string    `json:"statusCommit,omitempty"` // of the status branch that says which applications run
	Now    time.Time `json:"now"`
	Notes  []string  `json:"notes"`
	plan.Changes
}

// Side is one of the two states of the fleet repo that a plan compares.
type Side struct {
	Name   string `json:"name"`
	Commit string `json:"commit,omitempty"` // "" for files that are not committed
}

// NewPlan returns a plan with these changes and their result. The caller fills in what was compared, and notes.
func NewPlan(c plan.Changes) *Plan {
	// [] and not null in JSON
	c.Applications = append([]plan.Application{}, c.Applications...)
	c.Tenants = append([]plan.Tenant{}, c.Tenants...)
	c.Runs = append([]plan.RunChange{}, c.Runs...)
	c.Objects = append([]plan.ObjectChange{}, c.Objects...)
	c.Problems = append([]model.Problem{}, c.Problems...)
	c.Solved = append([]model.Problem{}, c.Solved...)
	p := &Plan{Result: PlanChanges, Notes: []string{}, Changes: c}
	switch {
	case c.Refuses():
		p.Result = PlanRefused
	case c.Empty():
		p.Result = PlanSame
	}
	return p
}
