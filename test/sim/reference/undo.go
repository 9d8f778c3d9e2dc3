package reference

import (
	"maps"

	"github.com/d-aros/d-aros/pkg/model"
)

// takesBack: the steps of a run are taken back one by one, once nothing acts any more, in the reverse order of their starts. A
// run that was taken back has taken back all of them.
func (c *change) takesBack() {
	const rule = "steps are taken back in the reverse order of their starts"
	for i := range c.run.Steps {
		rec, decl := &c.run.Steps[i], &c.spec.Workflow.Steps[i]
		if c.run.Phase == model.RunRolledBack && c.effect(i) && (rec.Undo == nil || rec.Undo.Phase != model.StepSucceeded) {
			c.breaks(rule, "step %s is not taken back", decl.Name)
		}
		if !undoing(rec) {
			continue
		}
		if n := rec.Undo.Attempt; n > max(1, decl.Retry.Attempts) {
			c.breaks(rule, "step %s is taken back for the %d. time", decl.Name, n)
		}
		if was := c.old(i).Undo; was != nil && was.Attempt == rec.Undo.Attempt {
			continue
		}
		if c.run.Phase != model.RunRollingBack {
			c.breaks(rule, "step %s is taken back", decl.Name)
		}
		for k := range c.run.Steps {
			other := &c.run.Steps[k]
			switch {
			case k == i:
			case on(other.Phase):
				c.breaks(rule, "step %s is taken back while %s is %s", decl.Name, other.Name, other.Phase)
			case undoing(other):
				c.breaks(rule, "steps %s and %s are taken back at once", decl.Name, other.Name)
			case c.begun[other.Name] > c.begun[decl.Name] && pending(other):
				c.breaks(rule, "step %s is taken back before %s, which began after it", decl.Name, other.Name)
			}
		}
	}
}

// undoing reports whether a step is being taken back.
func undoing(rec *model.StepRun) bool { return rec.Undo != nil && on(rec.Undo.Phase) }

// pending reports whether a step is still to be taken back.
func pending(rec *model.StepRun) bool {
	return rec.Undo != nil && (rec.Undo.Phase == model.StepPending || rec.Undo.Phase == model.StepQueued)
}

// effect reports whether a step did something that can be taken back.
func (c *change) effect(step int) bool {
	rec, decl := &c.run.Steps[step], &c.spec.Workflow.Steps[step]
	return c.begun[decl.Name] > 0 && rec.Attempt >= rec.First && rec.Reason != memo && (rolls(decl) || decl.Type == "job" && decl.Undo != "")
}

// comesBack: components return to the version of the last run that succeeded: those of a step while it is taken back, and all
// at the end.
func (c *change) comesBack() {
	const rule = "what comes back is what succeeded last"
	for i := range c.run.Steps {
		rec, decl := &c.run.Steps[i], &c.spec.Workflow.Steps[i]
		if !undoing(rec) || !rolls(decl) {
			continue
		}
		for _, name := range components(c.spec, decl) {
			if got := stable(c.run.Targets)[name]; got != c.brought[name] {
				c.breaks(rule, "step %s is taken back, and of %s runs %s instead of %s", decl.Name, name, got.Short(), c.brought[name].Short())
			}
		}
	}
	if c.run.Phase == model.RunRolledBack && !maps.Equal(stable(c.run.Targets), c.brought) {
		c.breaks(rule, "%s runs instead of %s", stable(c.run.Targets), c.brought)
	}
}

// twoVersions: two versions of a component run only while a canary or a switch is on its way; when that ends badly, the old one is
// back at once. A component that a step rolls out runs unchanged until the step begins.
func (c *change) twoVersions() {
	const rule = "a canary that ends badly is withdrawn at once"
	now := stable(c.run.Targets)
	for i := range c.run.Targets {
		if t := &c.run.Targets[i]; t.Next != nil && !c.stages(t.Component) {
			c.breaks(rule, "%s runs in two versions, and no step rolls it out", t.Component)
		}
	}
	for i := range c.run.Steps {
		rec, decl := &c.run.Steps[i], &c.spec.Workflow.Steps[i]
		bad := rec.Phase == model.StepFailed || rec.Phase == model.StepCancelled || rec.Phase == model.StepRetrying
		for _, name := range components(c.spec, decl) {
			old := c.brought[name]
			if staged(decl) && bad && c.old(i).Phase == model.StepActive && old != "" && now[name] != old {
				c.breaks(rule, "step %s is %s, and of %s runs %s instead of %s", decl.Name, rec.Phase, name, now[name].Short(), old.Short())
			}
			if ran := c.ran[name]; rolls(decl) && rec.Attempt == 0 && c.run.Phase != model.RunRollingBack && !c.run.Phase.Ended() && ran != "" && now[name] != ran {
				c.breaks("a component runs unchanged until its step begins", "step %s did not begin, and of %s runs %s instead of %s", decl.Name, name, now[name].Short(), ran.Short())
			}
		}
	}
}

// stages reports whether a canary or a switch of a component is on its way.
func (c *change) stages(component string) bool {
	for i := range c.run.Steps {
		decl := &c.spec.Workflow.Steps[i]
		if staged(decl) && c.run.Steps[i].Phase == model.StepActive {
			for _, name := range components(c.spec, decl) {
				if name == component {
					return true
				}
			}
		}
	}
	return false
}
