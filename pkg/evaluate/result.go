package evaluate

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/check"
	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// platformResult is the evaluated platform. Its model is nil if there are problems.
type platformResult struct {
	layer    layer.Layer
	platform *model.Platform
	problems []model.Problem
}

// evaluatePlatform evaluates the files at the root of the repo.
func evaluatePlatform(files []layer.Source) platformResult {
	doc := layer.Platform(files)
	platform, problems := decode.Platform(doc)
	return platformResult{doc.Layer, platform, problems}
}

// tenantResult is a tenant, evaluated under the platform. Its model is nil if there
// are problems.
type tenantResult struct {
	layer    layer.Layer
	tenant   *model.Tenant
	policy   []byte // that its applications are evaluated under
	problems []model.Problem
}

// evaluateTenant evaluates the files of one tenant under a valid platform, whose form
// may be zero.
func evaluateTenant(name string, files []layer.Source, platform *layer.Layer, f layer.Form) tenantResult {
	doc := layer.Tenant(name, files, platform, f)
	tenant, problems := decode.Tenant(name, doc, platform)
	if tenant == nil {
		return tenantResult{layer: doc.Layer, problems: problems}
	}
	return tenantResult{doc.Layer, tenant, doc.Policy, nil}
}

// applicationInput is everything that the evaluation of one application depends on:
// equal inputs give equal results.
type applicationInput struct {
	app    model.AppID
	files  []layer.Source
	policy []byte     // of its tenant
	form   layer.Form // the zero form costs time only

	// rest lists the files beside the CUE files of the application's directory, and
	// source identifies them all.
	rest   []string
	source model.Digest
}

// applicationResult is an evaluated application. Its model is nil if there are
// problems. The places of the layers above are left to complete.
type applicationResult struct {
	layer       layer.Layer
	application *model.Application
	choices     *decode.Choices
	hosts       []check.Host
	problems    []model.Problem
	places      layer.Places // of the layer, if another process evaluated it
}

// evaluateApplication evaluates one application under valid layers.
func evaluateApplication(in applicationInput) (r applicationResult) {
	doc := layer.Application(in.app, in.files, in.policy, in.form)
	r.layer = doc.Layer
	a, choices, problems := decode.Application(in.app, doc, in.policy, in.source)
	if r.problems = problems; a == nil {
		return r
	}
	r.hosts, problems = check.Application(a, in.rest, &r.layer)
	if r.problems = append(r.problems, problems...); len(r.problems) == 0 {
		sealed := a.Seal()
		r.application, r.choices = &sealed, choices
	}
	r.layer = r.layer.Outline()
	return r
}

// own returns the application's layer, to ask where something is written.
func (r *applicationResult) own() *layer.Layer {
	if r.places == nil {
		return &r.layer
	}
	own := r.places.Layer(r.layer.Field, r.layer.Files)
	return &own
}

// complete adds the places of the layers above: of the policy values in force, and of
// the values behind the rules that the application breaks.
func (r applicationResult) complete(platform *layer.Layer, tenant *tenantResult) applicationResult {
	own := &r.layer
	if r.choices != nil || len(r.problems) > 0 {
		own = r.own()
	}
	if r.application != nil {
		a := *r.application
		a.Policy = r.choices.Within(tenant.tenant.Policy, own)
		r.application = &a
	}
	r.problems = slices.Clone(r.problems)
	for i := range r.problems {
		p := &r.problems[i]
		if by, ok := layer.Limit(p.Code, own, []*layer.Layer{platform, &tenant.layer, own}); ok {
			p.Places = append(slices.Clone(p.Places), by)
		}
	}
	return r
}
