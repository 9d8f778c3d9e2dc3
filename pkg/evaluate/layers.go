package evaluate

import (
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Layers evaluates the layers of a tree that decide who may change it: the platform and,
// if it requires signatures, the tenants. Incomplete is set while the result is not
// final.
func (e *Evaluator) Layers(files Files) model.Fleet {
	p := &pass{e: e, files: files, insist: true}
	p.evaluatePlatform()
	p.fleet.Incomplete = p.unsure
	platform := p.fleet.Platform
	if platform == nil || platform.Access == nil || platform.Access.Enforce != model.EnforceSigned {
		return p.fleet
	}
	names, _, err := directories(files, "tenants")
	if err != nil {
		p.unreadable("tenants", err)
	}
	tenants := map[string]cached{}
	for _, name := range names {
		cue, problems, err := layer.ListTenant(files, name)
		if err == nil && len(cue)+len(problems) == 0 {
			continue
		}
		t := newPart(name)
		p.layerOf(t, cue, problems, err)
		p.unsure = p.unsure || t.unsure
		tenants[name] = t.layer
		if t.layer.result.Tenant == nil {
			p.fleet.UnusableTenants = append(p.fleet.UnusableTenants, name)
			continue
		}
		p.fleet.Tenants = append(p.fleet.Tenants, *t.layer.result.Tenant)
	}
	p.e.tenants = tenants
	p.fleet.Incomplete = p.fleet.Incomplete || p.unsure
	return p.fleet
}
