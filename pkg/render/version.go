package render

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// versions are the specs that components of an instance may run: the accepted spec
// first and, during an update, the spec before it.
type versions []*application

func newVersions(in Input) versions {
	v := versions{newApplication(in, in.Instance.Spec)}
	if in.Instance.Previous != nil {
		in.Builds = in.Previous
		v = append(v, newApplication(in, in.Instance.Previous))
	}
	for _, a := range v {
		a.versions = v
	}
	return v
}

// find returns the component with that content, and the spec that has it. With an
// empty content it is the component of the accepted spec.
func (v versions) find(name string, content model.Digest) (*application, *model.Component, bool) {
	if a := v.plain(); a != nil {
		if c, ok := a.spec.Component(name); ok && !c.Runs() {
			return a, c, true
		}
	}
	for _, a := range v {
		if c, ok := a.spec.Component(name); ok && (content == "" || c.Content(a.spec.ID) == content) {
			return a, c, true
		}
	}
	return nil, nil, false
}

// plain returns the spec without a workflow that an accepted spec with one replaces,
// nil if that is not the case. Its pods refer to configuration by a name without a
// digest, so that configuration must not change before the update has ended.
func (v versions) plain() *application {
	if len(v) == 2 && v[0].spec.Workflow != nil && v[1].spec.Workflow == nil {
		return v[1]
	}
	return nil
}

// named returns the spec of a release, nil without one.
func (v versions) named(release model.Digest) *application {
	for _, a := range v {
		if a.spec.Release == release {
			return a
		}
	}
	return nil
}

// component renders one component in the version that its state names. A component
// whose content no spec has any more stays as it is. A component on hold keeps all its
// objects, also those of the spec before.
func (v versions) component(name string) ([]Object, error) {
	instance := v[0].Instance
	state := model.ComponentState{Grant: model.Grant{Component: name}}
	if s, ok := instance.Component(name); ok {
		state = *s
	}
	if !state.Hold {
		if at, c, ok := v.find(name, state.Spec); ok && (at == v[0] || at.Builds != nil || c.Source == "") {
			return at.objects(c, state)
		}
		state.Hold = true
	}
	var objects []Object
	for i, a := range v {
		c, ok := a.spec.Component(name)
		if !ok {
			continue
		}
		was, err := a.objects(c, state)
		if err != nil && i == 0 {
			return nil, err
		}
		// An object that cannot be rendered any more has no identity to keep.
		objects = unite(objects, was)
	}
	return objects, nil
}

// unknown reports whether a component runs a content that no spec has any more.
func (v versions) unknown() bool {
	return slices.ContainsFunc(v[0].Instance.Components, func(s model.ComponentState) bool {
		_, _, ok := v.find(s.Grant.Component, s.Spec)
		return !ok && s.Run > 0
	})
}

// granted returns the grant of a component in this version. The spec before keeps the
// grant that it had before the update, so that the update does not change its objects.
func (a *application) granted(g model.Grant) model.Grant {
	if a.spec != a.Instance.Previous {
		return g
	}
	if before, ok := model.Find(a.Instance.PreviousGrants, g.Component); ok && before.Replicas > 0 {
		return *before
	}
	return g
}

// names lists the components to render: those of the accepted spec, and those of the
// spec before that still run. For an instance that ends it is the components that have
// a state, and all configuration.
func (v versions) names() (names []string) {
	instance := v[0].Instance
	for i := range v[0].spec.Components {
		if c := &v[0].spec.Components[i]; !instance.Ending() || !c.Runs() {
			names = append(names, c.Name)
		}
	}
	for i := range instance.Components {
		if name := instance.Components[i].Grant.Component; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
