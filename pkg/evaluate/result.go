package evaluate

import (
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/evaluate/check"
	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// evaluatePlatform evaluates the files at the root of the repo.
func evaluatePlatform(r request) result {
	doc := layer.Platform(r.Files)
	platform, problems := decode.Platform(doc)
	return result{Layer: doc.Layer.Outline(nil), Platform: platform, Above: doc.Above, Problems: append(problems, doc.Withdrawn...)}
}

// evaluateTenant evaluates the files of one tenant under a valid platform.
func evaluateTenant(r request) result {
	doc := layer.Tenant(r.Tenant, r.Files, &r.Above)
	tenant, problems := decode.Tenant(r.Tenant, doc, &r.Above)
	if tenant != nil {
		if problems = check.TenantSize(tenant, &doc.Layer); len(problems) > 0 {
			tenant = nil
		}
	}
	return result{Layer: doc.Layer.Outline(nil), Tenant: tenant, Policy: doc.Policy, Problems: append(problems, doc.Withdrawn...)}
}

// evaluateApplication evaluates one application under valid layers. The form costs time
// only. Places in the layers above are left
// to complete.
func evaluateApplication(r request, form layer.Form) (out result) {
	app := model.AppID{Tenant: r.Tenant, Name: r.Name}
	defer recovered(app, &out)
	doc := layer.Application(app, r.Files, r.Library, r.Policy, form)
	out.Outline = encode(doc.Layer.Outline(applicationOutline).Short())
	a, choices, problems := decode.Application(app, doc, r.Policy, r.Source)
	if out.Problems = problems; a == nil {
		return out
	}
	for i := range a.Components {
		if c := &a.Components[i]; c.Encrypted() != "" {
			c.Source = r.Encrypted[c.Encrypted()]
		}
	}
	if large := check.ApplicationSize(a, &doc.Layer); len(large) > 0 {
		out.Problems = append(out.Problems, large...)
		return out
	}
	problems = check.Application(a, r.Rest, &doc.Layer)
	if out.Problems = append(out.Problems, problems...); len(out.Problems) == 0 {
		sealed := a.Seal()
		out.Application, out.Choices = &sealed, choices
	}
	return out
}

// recovered turns a panic into a problem of the one application that is evaluated.
func recovered(app model.AppID, out *result) {
	if e := recover(); e != nil {
		*out = result{Problems: []model.Problem{layer.GaveUp(layer.ApplicationDir(app), e)}}
	}
}

// applicationOutline reports whether the place of a value is asked for after the
// evaluation of its application: that of policy, pools, profiles and steps, and of the
// values that contain them.
func applicationOutline(path []string) bool {
	switch {
	case len(path) == 1, path[1] == "policy":
		return true
	case path[1] == "workflow":
		return len(path) <= 4
	}
	if path[1] == "components" && len(path) > 4 && path[4] == "flavours" {
		return len(path) <= 7
	}
	inComponent := strings.Join(path[min(3, len(path)):], ".")
	return path[1] == "components" && slices.Contains([]string{"", "runtime", "placement", "placement.pool", "placement.spread", "placement.together", "qos", "degrade", "degrade.qos"}, inComponent)
}

// own returns the layer of the result. That of an application stays encoded, because a
// fleet has thousands of them and hardly one is asked for.
func (r *result) own() *layer.Layer {
	if r.Outline == nil {
		return &r.Layer
	}
	var own layer.Layer
	if cbor.Unmarshal(r.Outline, &own) != nil {
		return &layer.Layer{Field: "application"} // places are unknown
	}
	own = own.Long()
	return &own
}

// complete adds the places in the layers above: of the policy values in force, and of
// the values behind the rules that the application breaks.
func (r result) complete(platform, tenant *result) *result {
	own := &r.Layer
	if r.Choices != nil || len(r.Problems) > 0 {
		own = r.own()
	}
	if r.Application != nil {
		a := *r.Application
		a.Policy, a.InForce = r.Choices.Within(&tenant.Tenant.Policy, tenant.Tenant.InForce, own)
		a = a.Released()
		r.Application = &a
	}
	r.Problems = slices.Clone(r.Problems)
	for i := range r.Problems {
		p := &r.Problems[i]
		p.Places = layer.Find(p.Places, &platform.Layer, &tenant.Layer)
		if by, ok := layer.Limit(*p, &platform.Layer, &tenant.Layer, own); ok {
			p.Places = append(slices.Clone(p.Places), by)
		}
	}
	return &r
}
