package evaluate

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/check"
	"github.com/d-aros/d-aros/pkg/model"
)

// settleOne lists an application as usable or unusable in its tenant's part.
func (p *pass) settleOne(a *declared) {
	t, tenant := a.part, a.part.layer.result
	var problems []model.Problem
	switch {
	case a.problem != nil:
		problems = []model.Problem{*a.problem}
	case tenant.Tenant == nil:
		t.refuse(a.app, slices.Concat(tenant.Problems, p.platform.Problems)[0])
		return
	case a.result.Application == nil && a.commit != "":
		problems = pinnedAt(a.commit, a.result.Problems)
	case a.result.Application == nil:
		problems = a.result.Problems
	default:
		problems = slices.Concat(
			check.Offered(a.result.Application, p.platform.Platform, a.result.own),
			check.Approvers(a.result.Application, p.platform.Platform, tenant.Tenant, a.result.own))
	}
	if len(problems) > 0 {
		t.report(a.app.Name, problems...)
		t.refuse(a.app, problems[0])
		return
	}
	app := a.result.Application
	if a.commit != "" {
		app = app.AsOf(a.commit)
	}
	t.says.applications = append(t.says.applications, app)
}

// refuse lists an application as unusable.
func (t *part) refuse(app model.AppID, problem model.Problem) {
	t.says.unusable = append(t.says.unusable, unusable(app, problem))
}

func unusable(app model.AppID, problem model.Problem) model.Unusable {
	return model.Unusable{App: app, Message: problem.Line(), Code: problem.Code}
}

// pinnedAt adds the pinned commit to problems, because their places are in its files.
func pinnedAt(commit string, problems []model.Problem) []model.Problem {
	out := make([]model.Problem, len(problems))
	for i, problem := range problems {
		problem.Message += " (in the pinned commit " + commit[:min(12, len(commit))] + ")"
		out[i] = problem
	}
	return out
}
