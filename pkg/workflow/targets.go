package workflow

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// setTarget sets the state that a run wants of a component.
func setTarget(run *model.Run, t model.Target) {
	n, known := slices.BinarySearchFunc(run.Targets, t, func(x, y model.Target) int { return cmp.Compare(x.Component, y.Component) })
	switch {
	case known && t.Stable == (model.Version{}) && t.Next == nil:
		run.Targets = slices.Delete(run.Targets, n, n+1)
	case known:
		run.Targets[n] = t
	case t.Stable != (model.Version{}) || t.Next != nil:
		run.Targets = slices.Insert(run.Targets, n, t)
	}
}

// settled returns targets without what an unfinished canary or switch left.
func settled(targets []model.Target) []model.Target {
	var out []model.Target
	for _, t := range targets {
		if t.Stable != (model.Version{}) {
			out = append(out, model.Target{Component: t.Component, Stable: t.Stable})
		}
	}
	return out
}

// baseOf is what ran of a component when a run succeeded last.
func baseOf(run *model.Run, component string) model.Target {
	if t, ok := model.Find(run.Base, component); ok {
		return *t
	}
	return model.Target{Component: component}
}

func versionOf(spec *model.Application, c *model.Component) model.Version {
	return model.Version{Spec: spec.Release, Content: c.Content(spec.ID)}
}

// targetUnnamed rolls out at once the components that no step handles.
func targetUnnamed(run *model.Run, spec *model.Application) {
	for _, name := range unnamed(spec) {
		c, _ := spec.Component(name)
		setTarget(run, model.Target{Component: name, Stable: versionOf(spec, c)})
	}
}

// restoreUnnamed brings the components that no step handles back to what ran
// before, as what is brought back after them relies on them. A component that was
// not there before stays to the end.
func restoreUnnamed(run *model.Run, spec *model.Application) {
	for _, name := range unnamed(spec) {
		if t := baseOf(run, name); t.Stable != (model.Version{}) {
			setTarget(run, t)
		}
	}
}

// unnamed lists the components that no step handles.
func unnamed(spec *model.Application) (names []string) {
	for i := range spec.Components {
		name := spec.Components[i].Name
		if !slices.ContainsFunc(flow(spec).Steps, func(s model.Step) bool {
			return slices.Contains(components(spec, &s), name)
		}) && !flow(spec).Job(name) {
			names = append(names, name)
		}
	}
	return names
}

// components lists what a step rolls out: the components that it names, else
// everything that is no job of another step.
func components(spec *model.Application, s *model.Step) []string {
	if !kindOf(s).traits().rollout {
		return nil
	}
	if len(s.Components) > 0 {
		return s.Components
	}
	var names []string
	for i := range spec.Components {
		name := spec.Components[i].Name
		if !flow(spec).Job(name) {
			names = append(names, name)
		}
	}
	return names
}
