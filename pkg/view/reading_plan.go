package view

import (
	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// Only returns the effect of a change as somebody may read it: that on others as a number and a word, without what they declare.
func (v Plan) Only(r access.Reading) Plan {
	if r.All {
		return v
	}
	v.Applications, v.Runs = onlyEffects(v.Applications, r), onlyRuns(v.Runs, r)
	v.Tenants = append([]plan.Tenant{}, v.Tenants...)
	for i := range v.Tenants {
		v.Tenants[i].Name = nameOr(v.Tenants[i].Name, r)
	}
	v.Touched = append([]plan.Touched{}, v.Touched...)
	for i := range v.Touched {
		if t := &v.Touched[i]; !r.Reads(t.Tenant) {
			t.Tenant, t.Owners = nameOr(t.Tenant, r), []string{}
		}
	}
	v.Waits.First = kept(v.Waits.First, func(w *plan.WaitingApp) bool { return r.Reads(w.App.Tenant) })
	v.Objects = kept(v.Objects, func(o *plan.ObjectChange) bool { return r.Reads(o.App.Tenant) })
	v.Problems, v.Solved = onlyProblems(v.Problems, r), onlyProblems(v.Solved, r)
	v.OverQuota = append([]model.OverQuota(nil), v.OverQuota...)
	for i := range v.OverQuota {
		if q := &v.OverQuota[i]; q.Tenant != "" && !r.Reads(q.Tenant) {
			q.Tenant, q.At = nameOr(q.Tenant, r), ""
		}
	}
	if v.Approvals != nil {
		v.Approvals = kept(v.Approvals, func(a *plan.Approval) bool { return a.App.Tenant == "" || r.Reads(a.App.Tenant) })
	}
	rounds := v.Rounds
	v.Rounds = nil
	for _, round := range rounds {
		round.Applications, round.Runs = onlyEffects(round.Applications, r), onlyRuns(round.Runs, r)
		v.Rounds = append(v.Rounds, round)
	}
	return v
}

// onlyEffects returns the effects on applications. Of those of others the effect, the phases and the price are left.
func onlyEffects(list []plan.Application, r access.Reading) []plan.Application {
	own := []plan.Application{}
	for _, a := range list {
		if !r.Reads(a.App.Tenant) {
			a = plan.Application{App: a.App, Effect: a.Effect, Edited: a.Edited, Phase: a.Phase, Price: a.Price}
		}
		a.Before, a.After = onlyDecision(a.Before, r), onlyDecision(a.After, r)
		own = append(own, a)
	}
	return own
}

func onlyRuns(list []plan.RunChange, r access.Reading) []plan.RunChange {
	return kept(list, func(c *plan.RunChange) bool { return r.Reads(c.App.Tenant) })
}
