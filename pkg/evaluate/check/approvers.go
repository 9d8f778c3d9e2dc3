package check

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Approvers checks that approval steps ask for roles where people have keys. Without
// roles, an approval counts for the author that its commit names, and anybody can write
// any name there. Own returns the layer of the application.
func Approvers(a *model.Application, platform *model.Platform, tenant *model.Tenant, own func() *layer.Layer) (problems []model.Problem) {
	if a.Workflow == nil || !signs(platform.Access) && !signs(tenant.Access) {
		return nil
	}
	for i := range a.Workflow.Steps {
		s := &a.Workflow.Steps[i]
		if s.Type == "approval" && len(gjson.GetBytes(s.Properties, "roles").Array()) == 0 {
			problems = append(problems, own().Blame(catalogue.Approvers, fmt.Sprintf("application.workflow.steps.%d", i),
				fmt.Sprintf("asks for no role, so step %s takes the approval of whatever author a commit names, although people have keys here; write properties: roles: [\"application-owner\"], or another role", s.Name)))
		}
	}
	return problems
}

// signs reports whether a principal of a layer has a key.
func signs(a *model.Access) bool {
	return a != nil && slices.ContainsFunc(a.Principals, func(p model.Principal) bool { return len(p.SSH)+len(p.OpenPGP) > 0 })
}
