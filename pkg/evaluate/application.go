package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

type applicationDoc struct {
	Name       string            `json:"name"`
	Labels     map[string]string `json:"labels"`
	Priority   int               `json:"priority"`
	Desired    string            `json:"desired"`
	Objectives struct {
		Class        string      `json:"class"`
		Availability json.Number `json:"availability"`
		LatencyP99   string      `json:"latencyP99"`
	} `json:"objectives"`
	Budget struct {
		CostPerHour json.Number `json:"costPerHour"`
	} `json:"budget"`
	Policy     *choicesDoc             `json:"policy"`
	Lifecycle  lifecycleDoc            `json:"lifecycle"`
	Components map[string]componentDoc `json:"components"`
	Workflow   *workflowDoc            `json:"workflow"`
}

type componentDoc struct {
	Type      string   `json:"type"`
	Runtime   string   `json:"runtime"`
	OS        string   `json:"os"`
	Replicas  int      `json:"replicas"`
	Critical  bool     `json:"critical"`
	DependsOn []string `json:"dependsOn"`
	Resources struct {
		Requests *resourcesDoc `json:"requests"`
		Limits   *resourcesDoc `json:"limits"`
	} `json:"resources"`
	QoS     string `json:"qos"`
	Degrade *struct {
		MinReplicas int    `json:"minReplicas"`
		QoS         string `json:"qos"`
	} `json:"degrade"`
	Placement struct {
		Pool   string `json:"pool"`
		Spread *struct {
			Over string `json:"over"`
			Min  int    `json:"min"`
		} `json:"spread"`
	} `json:"placement"`
	Properties json.RawMessage `json:"properties"`
	Traits     json.RawMessage `json:"traits"`
}

// applicationInput is everything that the evaluation of one application depends
// on: equal inputs give equal results.
type applicationInput struct {
	app    model.AppID
	files  []source
	policy []byte // in force after its tenant
	form   form   // the zero form costs time only

	// rest lists what lies in the application's directory beside its CUE files,
	// and source identifies all of that.
	rest   []string
	source model.Digest
}

// applicationResult is an application, evaluated. Its model is nil if there are
// problems. What the layers above are quoted with is left to complete.
type applicationResult struct {
	layer       layer
	application *model.Application
	choices     *choicesDoc // of the tenant's policy
	hosts       []host
	problems    []model.Problem
	where       packed // of the layer, if it came from elsewhere
}

// evaluateApplication evaluates one application under valid layers.
func evaluateApplication(in applicationInput) (r applicationResult) {
	own, trees, problems := parseLayer("application", in.files)
	r = applicationResult{layer: own, problems: problems}
	if len(problems) > 0 {
		return r
	}
	expanded, defined, problems := expand(in, &r.layer)
	if problems != nil {
		r.problems = problems
		return r
	}
	if expanded != nil {
		own.files = expanded
		if _, trees, problems = parseLayer("application", expanded); problems != nil {
			r.problems = problems
			return r
		}
	}
	doc, ok := in.form.fill(in.policy, trees)
	if !ok {
		doc, problems = evaluateUnder(applicationDir(in.app), in.policy, &own)
		problems = saysDefinition(problems, defined, &own)
	}
	if problems != nil {
		r.problems = problems
		return r
	}
	var d applicationDoc
	if err := decode(doc, &d); err != nil {
		r.problems = []model.Problem{r.layer.blame(codeAmount, "application", err.Error())}
		return r
	}
	if d.Name != in.app.Name {
		r.problems = []model.Problem{r.layer.blame(codeName, "application.name",
			fmt.Sprintf("says %s, and the directory says %s; both must be equal", d.Name, in.app.Name))}
		return r
	}
	var policy policyDoc
	if err := decode(in.policy, &policy); err != nil {
		r.problems = []model.Problem{gaveUp(applicationDir(in.app), err)}
		return r
	}
	a, problems := d.application(in, policy.policy(), &r.layer)
	for i := range a.Components {
		a.Components[i].Definition = defined[a.Components[i].Name]
	}
	r.hosts, r.problems = refer(a, in, &r.layer)
	r.problems = append(problems, r.problems...)
	if len(r.problems) == 0 {
		sealed := a.Seal()
		r.application, r.choices = &sealed, d.Policy
	}
	r.layer.where = r.layer.where.outline()
	return r
}

// complete adds what the layers above say where: the policy values in force, and
// the values behind the rules that the application breaks.
func (r applicationResult) complete(platform *layer, tenant *tenantResult) applicationResult {
	own := &r.layer
	if r.choices != nil || len(r.problems) > 0 {
		own = r.own()
	}
	if r.application != nil {
		a := *r.application
		a.Policy = r.choices.within(tenant.tenant.Policy, own)
		r.application = &a
	}
	r.problems = slices.Clone(r.problems)
	for i := range r.problems {
		p := &r.problems[i]
		if by, ok := limit(p.Code, own, []*layer{platform, &tenant.layer, own}); ok {
			p.Places = append(slices.Clone(p.Places), by)
		}
	}
	return r
}

func (d *applicationDoc) application(in applicationInput, policy model.Policy, own *layer) (*model.Application, []model.Problem) {
	a := &model.Application{
		ID:       in.app,
		Labels:   d.Labels,
		Priority: d.Priority,
		Desired:  d.Desired,
		Objectives: model.Objectives{
			Class:        d.Objectives.Class,
			Availability: int(parts(d.Objectives.Availability, millionth)),
			LatencyP99:   duration(d.Objectives.LatencyP99),
		},
		Budget: parts(d.Budget.CostPerHour, millionth),
		Policy: d.Policy.within(policy, own), Lifecycle: d.Lifecycle.lifecycle(policy), Workflow: d.Workflow.workflow(),
		At: own.positions(applicationQuoted),
	}
	if len(a.Labels) == 0 {
		a.Labels = nil // as it comes back from another process
	}
	var problems []model.Problem
	if len(d.Components) == 0 {
		problems = append(problems, own.blame(codeRequired, "application.components", "must have at least one component"))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components)) {
		c, problem := d.Components[name].component(name, own)
		if problem != nil {
			problems = append(problems, *problem)
		}
		if c.Type == "kustomize" {
			c.Source = in.source
		}
		a.Components = append(a.Components, c)
	}
	return a, problems
}

// applicationQuoted says whether decisions quote the place of a value: those of
// policy values are in Policy.InForce.
func applicationQuoted(path []string) bool {
	switch {
	case path[0] == "priority", path[0] == "budget":
		return true
	case path[0] != "components":
		return false
	case len(path) == 1:
		return true
	case len(path) == 3:
		return path[2] == "replicas"
	case len(path) == 4:
		return path[2] == "placement" && path[3] == "pool"
	case len(path) == 5:
		return path[2] == "resources" && path[3] == "requests"
	}
	return false
}

func (d componentDoc) component(name string, own *layer) (model.Component, *model.Problem) {
	c := model.Component{
		Name: name, Type: d.Type, Runtime: d.Runtime, OS: d.OS,
		Replicas: d.Replicas, Critical: d.Critical,
		DependsOn: sorted(d.DependsOn), QoS: d.QoS,
		Placement:  model.Placement{Pool: d.Placement.Pool},
		Properties: canonical(d.Properties), Traits: canonical(d.Traits),
	}
	if d.Degrade != nil {
		c.Degrade = &model.Degrade{MinReplicas: d.Degrade.MinReplicas, QoS: d.Degrade.QoS}
	}
	if s := d.Placement.Spread; s != nil {
		c.Placement.Spread = &model.Spread{Over: s.Over, Min: s.Min}
	}
	path := "application.components." + name + ".resources"
	var err error
	if c.Requests, err = d.Resources.Requests.resources(); err != nil {
		p := own.blame(codeAmount, path+".requests", err.Error())
		return c, &p
	}
	if c.Limits, err = d.Resources.Limits.resources(); err != nil {
		p := own.blame(codeAmount, path+".limits", err.Error())
		return c, &p
	}
	for _, resource := range c.Limits.Names() {
		request, limit := c.Requests.Get(resource), c.Limits.Get(resource)
		if limit != 0 && limit < request {
			p := own.blame(codeLimits, path+".limits."+resource, fmt.Sprintf("limits %s to %s, below the request of %s",
				resource, model.FormatAmount(resource, limit), model.FormatAmount(resource, request)))
			return c, &p
		}
	}
	return c, nil
}
