package evaluate

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/check"
	"github.com/d-aros/d-aros/pkg/model"
)

// settleOne lists an application as usable or unusable in its tenant's part.
func (p *pass) settleOne(a *declared) {
	t := a.part
	switch {
	case a.problem != nil:
		t.report(a.app.Name, *a.problem)
		t.refuse(a.app, *a.problem)
	case t.layer.result.Tenant == nil && len(t.layer.result.Problems) > 0:
		t.refuse(a.app, t.layer.result.Problems[0])
	case t.layer.result.Tenant == nil:
		t.refuse(a.app, p.platform.Problems[0])
	case a.result.Application == nil:
		problems := a.result.Problems
		if a.commit != "" {
			problems = pinnedAt(a.commit, problems)
		}
		t.report(a.app.Name, problems...)
		t.refuse(a.app, problems[0])
	default:
		problems := slices.Concat(
			check.Offered(a.result.Application, p.platform.Platform, a.result.own),
			check.Approvers(a.result.Application, p.platform.Platform, t.layer.result.Tenant, a.result.own))
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
