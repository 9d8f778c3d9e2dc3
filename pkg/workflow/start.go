package workflow

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Start returns the run that brings spec to run, after last, the application's
// latest run, which has ended; nil if there was none. What no step of the
// workflow names is brought at once: it is there before the first step.
func Start(spec *model.Application, instance int, last *model.Run, now time.Time) model.Run {
	run := model.Run{
		App: spec.ID, Instance: instance, Number: 1, Spec: spec.Digest,
		Phase: model.RunRunning, Since: now, Deadline: now.Add(cmp.Or(flow(spec).Timeout, runTimeout)),
	}
	if last != nil {
		run.Number = last.Number + 1
		if last.Instance == instance {
			run.Base = slices.Clone(last.Base)
			run.Targets = settled(last.Targets)
		}
		if last.Instance == instance || spec.Lifecycle.Deletion != "delete-data" {
			run.Memos = slices.Clone(last.Memos) // what was done to data is not done to none
			run.Good = slices.Clone(last.Good)
		}
		window := run.Good[:min(flow(spec).RollbackWindow, len(run.Good))]
		run.Fast = slices.Contains(window, spec.Digest)
	}
	run.ID = model.DigestOf(struct {
		App              model.AppID
		Instance, Number int
		Spec             model.Digest
	}{run.App, run.Instance, run.Number, run.Spec})
	for _, s := range flow(spec).Steps {
		run.Steps = append(run.Steps, model.StepRun{Name: s.Name, Phase: model.StepPending})
	}
	for _, name := range unnamed(spec) {
		c, _ := spec.Component(name)
		aim(&run, model.Target{Component: name, Stable: versionOf(spec, c)})
	}
	return run
}

// Ran returns the run that spec would have had, had it come to run by a workflow:
// one that succeeded. Whoever starts the first run of an application that runs
// already, or runs again after a time without a workflow, gives it to Start as the
// last run, so that there is something to go back to.
func Ran(spec *model.Application, instance int, last *model.Run, now time.Time) model.Run {
	bare := *spec
	bare.Workflow = nil
	return Advance([]Turn{{Run: Start(&bare, instance, last, now), Spec: &bare}}, Limits{}, now)[0]
}

// flow is the workflow of a spec, one without steps if it declares none.
func flow(spec *model.Application) *model.Workflow {
	if spec.Workflow == nil {
		return &model.Workflow{}
	}
	return spec.Workflow
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

// unnamed lists the components that no step deals with.
func unnamed(spec *model.Application) (names []string) {
	for i := range spec.Components {
		c := &spec.Components[i]
		if !slices.ContainsFunc(flow(spec).Steps, func(s model.Step) bool { return concerns(spec, &s, c.Name) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

func concerns(spec *model.Application, s *model.Step, component string) bool {
	return s.Component == component || s.Undo == component || slices.Contains(components(spec, s), component)
}

// components lists what a deploy, canary or blue-green step brings: what it
// names, else everything that is no job of another step.
func components(spec *model.Application, s *model.Step) []string {
	switch s.Type {
	case "deploy", "canary", "blue-green":
	default:
		return nil
	}
	if len(s.Components) > 0 {
		return s.Components
	}
	var names []string
	for i := range spec.Components {
		name := spec.Components[i].Name
		if !slices.ContainsFunc(flow(spec).Steps, func(s model.Step) bool { return s.Component == name || s.Undo == name }) {
			names = append(names, name)
		}
	}
	return names
}

func versionOf(spec *model.Application, c *model.Component) model.Version {
	return model.Version{Spec: spec.Digest, Content: c.Content(spec.ID)}
}

// aim sets what is to run of a component.
func aim(run *model.Run, t model.Target) {
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
