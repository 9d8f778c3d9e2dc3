package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// asBefore adds what was shown last of components that run elsewhere and after which nobody
// has asked since the reconciler started: no runtime remembers it. What never was well as it
// is told now has nothing to add.
func (list workloads) asBefore(inst *model.Instance, before *model.Shown) workloads {
	if inst.Spec == nil {
		return list
	}
	for _, s := range inst.Components {
		c, ok := inst.Spec.Component(s.Grant.Component)
		if !ok || !c.Elsewhere() || list.of(c.Name) != nil {
			continue
		}
		if was := before.Of(c.Name); was != nil && was.Held > 0 {
			list = append(slices.Clip(list), model.Workload{
				App: inst.App, Component: c.Name, Digest: s.Workload, Replicas: was.Told, Ready: was.Ready, Current: true, Why: was.Why,
			})
		}
	}
	return list
}
