package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// endMargin is how long a component may take to be gone after its grace.
const endMargin = 30 * time.Second

// end gives up what the instance was granted, and stops its components in the
// reverse order of their start: a component that nothing depends on at once, the
// others when the runtimes show that their dependants are gone, or when the time
// for that is over.
func end(inst *model.Instance, shown workloads, now time.Time) {
	inst.Deadline, inst.Refused, inst.Outcomes = time.Time{}, nil, nil
	dropPrevious(inst)
	inst.Components = slices.DeleteFunc(inst.Components, func(s model.ComponentState) bool {
		return s.Run == 0 && shown.of(s.Grant.Component) == nil
	})
	inst.Components = needed(inst, shown)
	for i := range inst.Components {
		s := &inst.Components[i]
		s.Hold, s.State, s.Since, s.Message = true, model.StateEnding, now, "until what depends on it is gone"
		s.Pause, s.Beside = time.Time{}, nil
	}
	inst.EndBy = time.Time{}
	if len(inst.Components) > 0 {
		inst.EndBy = now.Add(time.Duration(layers(inst.Spec)) * (inst.Spec.Lifecycle.Grace + endMargin))
	}
}

// endFurther stops the components of an ended instance that nothing depends on any
// more.
func endFurther(inst *model.Instance, shown workloads, now time.Time) {
	if !inst.Ending() {
		return
	}
	inst.Components = needed(inst, shown)
	if len(inst.Components) == 0 || !now.Before(inst.EndBy) {
		inst.Components, inst.EndBy = nil, time.Time{}
	}
}

// needed returns the components with a dependant that is not gone yet.
func needed(inst *model.Instance, shown workloads) (kept []model.ComponentState) {
	for i := range inst.Components {
		name := inst.Components[i].Grant.Component
		if slices.ContainsFunc(inst.Spec.Components, func(c model.Component) bool {
			_, waits := inst.Component(c.Name)
			return slices.Contains(c.DependsOn, name) && (waits || shown.of(c.Name) != nil)
		}) {
			kept = append(kept, inst.Components[i])
		}
	}
	return kept
}

// layers is the length of the longest chain of dependencies, of a spec without
// cycles.
func layers(spec *model.Application) (most int) {
	depth := map[string]int{}
	var measure func(name string, above int) int
	measure = func(name string, above int) int {
		if d, ok := depth[name]; ok || above > len(spec.Components) {
			return d
		}
		d := 1
		if c, ok := spec.Component(name); ok {
			for _, dep := range c.DependsOn {
				d = max(d, 1+measure(dep, above+1))
			}
		}
		depth[name] = d
		return d
	}
	for i := range spec.Components {
		most = max(most, measure(spec.Components[i].Name, 0))
	}
	return most
}
