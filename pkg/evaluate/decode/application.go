package decode

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type applicationDoc struct {
	model.Application
	Name       string `json:"name"`
	Objectives struct {
		model.Objectives
		Availability json.Number `json:"availability"`
		LatencyP99   string      `json:"latencyP99"`
	} `json:"objectives"`
	Budget struct {
		CostPerHour json.Number `json:"costPerHour"`
	} `json:"budget"`
	Policy     *Choices                `json:"policy"`
	Lifecycle  lifecycleDoc            `json:"lifecycle"`
	Components map[string]componentDoc `json:"components"`
	Workflow   *workflowDoc            `json:"workflow"`
}

type componentDoc struct {
	model.Component
	Expect    string       `json:"expect"`
	Placement placementDoc `json:"placement"`
	Resources struct {
		Requests *resourcesDoc `json:"requests"`
		Limits   *resourcesDoc `json:"limits"`
	} `json:"resources"`
}

// Application returns the application of a directory and its choices within the policy
// of its tenant (layer.Document.Policy), or nil if its problems leave nothing to check. Source identifies the files beside the CUE files of the directory.
func Application(id model.AppID, doc layer.Document, policy []byte, source model.Digest) (*model.Application, *Choices, []model.Problem) {
	own := &doc.Layer
	if doc.Problems != nil {
		return nil, nil, doc.Problems
	}
	var d applicationDoc
	if err := decode(doc.JSON, &d); err != nil {
		return nil, nil, []model.Problem{own.Blame(catalogue.Amount, "application", err.Error())}
	}
	if d.Name != id.Name {
		return nil, nil, []model.Problem{own.Blame(catalogue.Name, "application.name",
			fmt.Sprintf("says %s, and the directory says %s; both must be equal", d.Name, id.Name))}
	}
	var given policyDoc
	if err := decode(policy, &given); err != nil {
		return nil, nil, []model.Problem{layer.GaveUp(layer.ApplicationDir(id), err)}
	}
	a, problems := d.application(id, new(given.policy()), own)
	for i := range a.Components {
		c := &a.Components[i]
		c.Definition, c.Health = doc.Defined[c.Name], doc.Health[c.Name]
		if c.Type == "kustomize" || c.Type == "helm" {
			c.Source = source
		}
	}
	return a, d.Policy, append(problems, given.Secrets.secrets(a, own)...)
}

func (d *applicationDoc) application(id model.AppID, policy *model.Policy, own *layer.Layer) (*model.Application, []model.Problem) {
	a := new(d.Application)
	a.ID, a.At = id, own.Positions(applicationQuoted)
	a.Objectives = d.Objectives.Objectives
	a.Objectives.Availability, a.Objectives.LatencyP99 = int(parts(d.Objectives.Availability, millionth)), duration(d.Objectives.LatencyP99)
	a.Budget = parts(d.Budget.CostPerHour, millionth)
	a.Policy, _ = d.Policy.Within(policy, nil, own)
	a.Lifecycle, a.Workflow = d.Lifecycle.lifecycle(policy), d.Workflow.workflow()
	if len(a.Labels) == 0 {
		a.Labels = nil // as it is after decoding an answer
	}
	if len(a.Adopt) == 0 {
		a.Adopt = nil
	}
	var problems []model.Problem
	if len(d.Components) == 0 {
		problems = append(problems, own.Blame(catalogue.Required, "application.components", "must have at least one component"))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components)) {
		c, bad := d.Components[name].component(name, own)
		a.Components, problems = append(a.Components, c), append(problems, bad...)
	}
	return a, problems
}

// applicationQuoted reports whether decisions quote the place of a value. The places
// of policy values are in InForce.
func applicationQuoted(path []string) bool {
	switch {
	case path[0] == "priority", path[0] == "budget", path[0] == "adopt" && len(path) <= 2:
		return true
	case path[0] != "components":
		return false
	case len(path) <= 2:
		return true
	case len(path) == 3:
		return path[2] == "replicas"
	case len(path) == 4:
		return path[2] == "placement" && (path[3] == "pool" || path[3] == "together") || path[2] == "properties" && (path[3] == "path" || path[3] == "chart")
	case len(path) == 6 && path[2] == "placement":
		return path[3] == "flavours" && path[5] == "pool"
	case len(path) == 5:
		return path[2] == "resources" && path[3] == "requests" || path[2] == "properties" && path[3] == "objects"
	case len(path) == 6:
		return path[2] == "traits" && (path[3] == "ingress" && path[5] == "host" || path[3] == "gateway" && path[4] == "hosts")
	}
	return false
}

func (d componentDoc) component(name string, own *layer.Layer) (c model.Component, problems []model.Problem) {
	c = d.Component
	c.Name, c.DependsOn, c.Expect = name, sorted(c.DependsOn), duration(d.Expect)
	c.Properties, c.Traits = layer.Canonical(c.Properties), layer.Canonical(c.Traits)
	path := "application.components." + name + ".resources"
	if c.Requests, problems = d.Resources.Requests.amount(path+".requests", own); problems != nil {
		return c, problems
	}
	if c.Limits, problems = d.Resources.Limits.amount(path+".limits", own); problems != nil {
		return c, problems
	}
	if c.Placement, problems = d.Placement.placement("application.components."+name, own); problems != nil {
		return c, problems
	}
	if problems = flavourLimits(&c, "application.components."+name, own); problems != nil {
		return c, problems
	}
	for _, resource := range c.Limits.Names() {
		request, limit := c.Requests.Get(resource), c.Limits.Get(resource)
		if limit != 0 && limit < request {
			return c, []model.Problem{own.Blame(catalogue.Limits, path+".limits."+resource, fmt.Sprintf("limits %s to %s, below the request of %s",
				resource, model.FormatAmount(resource, limit), model.FormatAmount(resource, request)))}
		}
	}
	return c, nil
}
