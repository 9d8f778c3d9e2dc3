package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// surges reports for every component of a spec whether a second version of it runs
// beside the first while a workflow switches from one to the other, so that the
// component takes its replicas twice; nil where none does. The second version
// counts in pools, quota and budget, and not in standing and fair share: it is
// temporary, and nobody is preempted for it.
//
// Only what runs can have a second version beside it, so a first start asks for
// none. A newer spec asks for it when a step of its workflow switches a component
// whose content changed; an accepted spec as long as its run has not ended.
func (app *App) surges(spec *model.Application) (surge []bool) {
	if !app.Incumbent() || spec.Workflow == nil || app.Instance.Spec == nil {
		return nil
	}
	for i := range spec.Components {
		if comp := &spec.Components[i]; switched(spec, comp) && app.runsBeside(spec, comp) {
			if surge == nil {
				surge = make([]bool, len(spec.Components))
			}
			surge[i] = true
		}
	}
	return surge
}

// refuse records that the spec in Git is not accepted. If that spec is what runs,
// only a second version beside it is refused.
func (app *App) refuse(r *model.Refusal, surge []bool) {
	if surge != nil {
		r.Message += "; while its workflow switches, a second version counts beside the first"
	}
	if app.Wanted.Digest == app.Instance.Spec.Digest {
		app.Message = "no second version can run beside the first: " + r.Message
		return
	}
	r.Spec = app.Wanted.Digest
	app.Refused = r
}

// switched reports whether a step of the workflow brings a component as a whole
// second version beside the first.
func switched(spec *model.Application, comp *model.Component) bool {
	for _, s := range spec.Workflow.Steps {
		switch {
		case s.Type != "blue-green":
		case len(s.Components) > 0 && slices.Contains(s.Components, comp.Name):
			return comp.Runs() && !comp.Finite()
		case len(s.Components) == 0 && (comp.Type == "webservice" || comp.Type == "worker"):
			return true
		}
	}
	return false
}

// runsBeside reports whether a component that a workflow switches has a second
// version beside the first now.
func (app *App) runsBeside(spec *model.Application, comp *model.Component) bool {
	run := app.Instance.Run
	if spec.Release != app.Instance.Spec.Release {
		return app.replaces(comp)
	}
	switch {
	case run == nil || run.Spec != spec.Release:
		return app.holdsSurge(comp.Name) // the run that it was granted for has not begun
	case run.Phase.Ended():
		return false
	}
	return app.holdsSurge(comp.Name) || len(run.Base) > 0 && app.replaces(comp)
}

// replaces reports whether another version of the component runs now.
func (app *App) replaces(comp *model.Component) bool {
	now := model.Digest("")
	if run := app.Instance.Run; run != nil {
		if t, ok := run.Target(comp.Name); ok {
			now = t.Stable.Content
		}
	}
	if old, ok := app.Instance.Spec.Component(comp.Name); ok && now == "" {
		now = old.Content(app.ID)
	}
	return now != "" && now != comp.Content(app.ID)
}

// holdsSurge reports whether the ledger grants a second version of a component.
func (app *App) holdsSurge(component string) bool {
	g, ok := model.Find(app.Holds, component)
	return ok && g.Surge > 0
}

// held reports which of the components that surge hold their second version
// already, nil: none.
func (app *App) held(spec *model.Application, surge []bool) (held []bool) {
	for i, asks := range surge {
		if asks && app.holdsSurge(spec.Components[i].Name) {
			if held == nil {
				held = make([]bool, len(surge))
			}
			held[i] = true
		}
	}
	return held
}

// kept are the grants of an incumbent, without second versions that are no longer
// needed, and with the defaults that policy has now. Those of a damaged record stay as
// they are.
func (app *App) kept(spec *model.Application, surge []bool) []model.Grant {
	grants := slices.Clone(app.Holds)
	if app.Unusable.Damaged() {
		return grants
	}
	for i := range grants {
		g, beside := &grants[i], false
		for n := range spec.Components {
			if comp := &spec.Components[n]; comp.Name == g.Component {
				beside = surge != nil && surge[n]
				app.countDefault(comp, g)
			}
		}
		if !beside {
			g.Surge = 0
		}
	}
	return grants
}

// times is how many replicas a component takes when it is granted so many: a
// component that surges takes them twice.
func (r *Level) times(component, replicas int) int {
	if r.surge != nil && r.surge[component] {
		return 2 * replicas
	}
	return replicas
}

// grants returns the grants of a spec of an application on a level, without pools.
func (r *Level) grants(app *App, spec *model.Application) []model.Grant {
	grants := app.grantsAt(spec, r.Cut)
	for i := range grants {
		grants[i].Surge = r.times(i, grants[i].Replicas) - grants[i].Replicas
	}
	return grants
}

// stepped reports whether a step of the workflow runs the component. Such a
// component runs again with every spec, though it has ended well under the one
// before.
func stepped(spec *model.Application, component string) bool {
	return spec.Workflow != nil && spec.Workflow.Job(component)
}
