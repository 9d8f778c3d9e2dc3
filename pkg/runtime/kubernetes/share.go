package kubernetes

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// elsewhere returns the components of an instance that its assignment lacks, because another
// runtime carries them; nil if it has all.
func elsewhere(a *runtime.Assignment) map[string]bool {
	var others map[string]bool
	for _, spec := range a.Instance.Specs() {
		for _, name := range model.Names(spec.Components) {
			if slices.ContainsFunc(a.Components, func(c runtime.Component) bool { return c.Name == name }) {
				continue
			}
			if others == nil {
				others = map[string]bool{}
			}
			others[name] = true
		}
	}
	return others
}

// withHolds returns the instance of an assignment with all components on hold that the
// assignment holds: the record does not know of those that stay until they run elsewhere.
func withHolds(a *runtime.Assignment) *model.Instance {
	inst := *a.Instance
	inst.Components = slices.Clone(inst.Components)
	for i := range a.Components {
		name := a.Components[i].Name
		if !a.Components[i].Hold {
			continue
		}
		state, known := inst.Component(name)
		if !known {
			inst.Components = append(inst.Components, model.ComponentState{Grant: model.Grant{Component: name}})
			state = &inst.Components[len(inst.Components)-1]
		}
		state.Hold = true
	}
	return &inst
}
