package view

import (
	"errors"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Explanation is everything that the ledger holds about one application.
type Explanation struct {
	App      model.AppID        `json:"application"`
	Instance *model.Instance    `json:"instance"`
	Spec     *model.Application `json:"spec,omitempty"`     // accepted: the one that runs or is to run
	Previous *model.Application `json:"previous,omitempty"` // comes back if the update does not become ready
	Run      *model.Run         `json:"run,omitempty"`      // the latest one of the workflow
	Waits    []workflow.Wait    `json:"waits,omitempty"`    // of the run
	Decision *model.Decision    `json:"decision,omitempty"`
	Problems []model.Problem    `json:"problems,omitempty"` // that make what is in Git unusable

	OverQuota []model.OverQuota `json:"overQuota,omitempty"` // what its tenant has beyond its quota

	Unverified string `json:"unverified,omitempty"` // why no key vouches for the status branch, where keys are given
}

// Explain returns what the ledger holds about an application. An application that the ledger does not know is an error.
func Explain(l *model.Ledger, app model.AppID) (Explanation, error) {
	s := Of(app)
	in, ok := l.Find(app)
	if d := l.DamagedOf(app); !ok && d != nil {
		return Explanation{}, errors.New(d.String())
	}
	if !ok {
		return Explanation{}, s.Missing(l)
	}
	x := Explanation{
		App: app, Instance: in, Spec: in.Spec, Previous: in.Previous, Run: in.Run, Waits: workflow.Waits(in.Run, in.RunSpec()),
	}
	x.OverQuota, x.Problems = s.overQuota(l), s.problems(l)
	if d, ok := l.Decision(app); ok {
		x.Decision = underQuota(d, x.OverQuota)
	}
	return x, nil
}

// underQuota returns a decision whose checks of quota have the limits of now, where the
// tenant is over quota. The record of the decision has those of when it was made.
func underQuota(d *model.Decision, over []model.OverQuota) *model.Decision {
	if len(over) == 0 {
		return d
	}
	now := *d
	now.Constraints = slices.Clone(d.Constraints)
	for i := range now.Constraints {
		k := &now.Constraints[i]
		for _, q := range over {
			if k.Name == q.Limits() {
				k.OK, k.At = false, q.At
				k.Limit, k.Short = model.FormatAmount(q.Resource, q.Limit), model.FormatAmount(q.Resource, q.Granted-q.Limit)
			}
		}
	}
	return &now
}
