package render

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// versions are the specs that the parts of an instance may be of: the accepted
// one first and, while an update is on its way, the one before it.
type versions []*application

func newVersions(in Input) versions {
	v := versions{newApplication(in, in.Instance.Spec)}
	if in.Instance.Previous != nil {
		in.Kustomizations = in.Previous
		v = append(v, newApplication(in, in.Instance.Previous))
	}
	for _, a := range v {
		a.versions = v
	}
	return v
}

// find returns the component with that content, and the spec that it is of.
// Without a content it is the one of the accepted spec.
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

// plain returns the spec before a first one with a workflow: its pods refer to
// configuration by a name that any content can have, so that stays theirs until
// the update has ended. Nil if there is none.
func (v versions) plain() *application {
	if len(v) == 2 && v[0].spec.Workflow != nil && v[1].spec.Workflow == nil {
		return v[1]
	}
	return nil
}

// named returns the spec of that digest, nil if none of them has it.
func (v versions) named(spec model.Digest) *application {
	for _, a := range v {
		if a.spec.Digest == spec {
			return a
		}
	}
	return nil
}

// component renders one component in the version that it is to run in. One whose
// content no spec has any more is left as it is, and so is one that is on hold:
// that keeps what it has, of the spec before too.
func (v versions) component(name string) ([]Object, error) {
	instance := v[0].Instance
	state := model.ComponentState{Grant: model.Grant{Component: name}}
	if s, ok := instance.Component(name); ok {
		state = *s
	}
	if !state.Hold {
		if at, c, ok := v.find(name, state.Spec); ok && (at == v[0] || at.Kustomizations != nil || c.Source == "") {
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
		// What cannot be rendered any more has no identity to keep.
		objects = unite(objects, was)
	}
	return objects, nil
}

// unknown reports whether a component runs with a content that no spec has any more.
func (v versions) unknown() bool {
	return slices.ContainsFunc(v[0].Instance.Components, func(s model.ComponentState) bool {
		_, _, ok := v.find(s.Grant.Component, s.Spec)
		return !ok && s.Run > 0
	})
}

// granted is the grant of a component in this version: the spec before has what
// it was granted when it ran alone, so that nothing of it changes under way.
func (a *application) granted(g model.Grant) model.Grant {
	if a.spec != a.Instance.Previous {
		return g
	}
	n := slices.IndexFunc(a.Instance.PreviousGrants, func(p model.Grant) bool { return p.Component == g.Component })
	if n >= 0 && a.Instance.PreviousGrants[n].Replicas > 0 {
		return a.Instance.PreviousGrants[n]
	}
	return g
}

// names lists the components that there is something to render of: those of the
// accepted spec and those of the one before that still run. Of an instance that
// has ended they are those that others still need, with all configuration.
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
