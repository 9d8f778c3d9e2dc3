package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// surges says of every component of a spec whether a second version of it runs
// beside the first while a workflow switches from one to the other, so that it
// takes its replicas twice: nil where none does. It counts in pools, quota and
// budget like everything else that the application asks for, and not in standing
// and entitlement: it passes, and nobody loses his place for it in between.
//
// Only what runs can have something beside it, so a first start asks for none. A
// newer spec asks for it when a step of its workflow switches a component whose
// content is another one; an accepted spec as long as its run has not ended.
func (c *App) surges(spec *model.Application) (surge []bool) {
	if !c.Incumbent() || spec.Workflow == nil || c.Instance.Spec == nil {
		return nil
	}
	for i := range spec.Components {
		if comp := &spec.Components[i]; switched(spec, comp) && c.runsBeside(spec, comp) {
			if surge == nil {
				surge = make([]bool, len(spec.Components))
			}
			surge[i] = true
		}
	}
	return surge
}

// refuse writes down that what Git says is not accepted. If it is what runs, only
// a second version beside it is refused.
func (c *App) refuse(r *model.Refusal, surge []bool) {
	if surge != nil {
		r.Message += "; while its workflow switches, a second version counts beside the first"
	}
	if c.Wanted.Digest == c.Instance.Spec.Digest {
		c.Message = "no second version can run beside the first: " + r.Message
		return
	}
	r.Spec = c.Wanted.Digest
	c.Refused = r
}

// switched says whether a step of the workflow brings a component as a whole
// second version beside the first.
func switched(spec *model.Application, comp *model.Component) bool {
	for i := range spec.Workflow.Steps {
		s := &spec.Workflow.Steps[i]
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

func (c *App) runsBeside(spec *model.Application, comp *model.Component) bool {
	run := c.Instance.Run
	if spec.Digest != c.Instance.Spec.Digest {
		return c.replaces(comp)
	}
	switch {
	case run == nil || run.Spec != spec.Digest:
		return c.holdsSurge(comp.Name) // the run that it was granted for has not begun
	case run.Phase.Ended():
		return false
	}
	return c.holdsSurge(comp.Name) || len(run.Base) > 0 && c.replaces(comp)
}

// replaces says whether something else runs of the component now.
func (c *App) replaces(comp *model.Component) bool {
	now := model.Digest("")
	if run := c.Instance.Run; run != nil {
		if t, ok := run.Target(comp.Name); ok {
			now = t.Stable.Content
		}
	}
	if old, ok := c.Instance.Spec.Component(comp.Name); ok && now == "" {
		now = model.DigestOf(old)
	}
	return now != "" && now != model.DigestOf(comp)
}

func (c *App) holdsSurge(component string) bool {
	for i := range c.Holds {
		if c.Holds[i].Component == component {
			return c.Holds[i].Surge > 0
		}
	}
	return false
}

// held are those of the components that surge whose second version the claim
// holds already.
func (c *App) held(spec *model.Application, surge []bool) (held []bool) {
	for i, asks := range surge {
		if asks && c.holdsSurge(spec.Components[i].Name) {
			if held == nil {
				held = make([]bool, len(surge))
			}
			held[i] = true
		}
	}
	return held
}

// kept are the grants of an incumbent, without second versions that nothing needs
// any more.
func (c *App) kept(spec *model.Application, surge []bool) []model.Grant {
	grants := c.Holds
	for i := range c.Holds {
		n := slices.IndexFunc(spec.Components, func(comp model.Component) bool { return comp.Name == c.Holds[i].Component })
		if c.Holds[i].Surge == 0 || n >= 0 && surge != nil && surge[n] {
			continue
		}
		if &grants[0] == &c.Holds[0] {
			grants = slices.Clone(grants)
		}
		grants[i].Surge = 0
	}
	return grants
}

// times is how many replicas a component takes of which so many are granted.
func (r *Level) times(component, replicas int) int {
	if r.surge != nil && r.surge[component] {
		return 2 * replicas
	}
	return replicas
}

// grants returns the grants of a spec on a rung, without pools.
func (r *Level) grants(spec *model.Application) []model.Grant {
	grants := grantsAt(spec, r.Cut)
	for i := range grants {
		grants[i].Surge = r.times(i, grants[i].Replicas) - grants[i].Replicas
	}
	return grants
}

// stepped says whether a step of the workflow runs the component: it will run
// again with every spec, though it has ended well under the one before.
func stepped(spec *model.Application, component string) bool {
	return spec.Workflow != nil && slices.ContainsFunc(spec.Workflow.Steps, func(s model.Step) bool {
		return s.Component == component || s.Undo == component
	})
}
