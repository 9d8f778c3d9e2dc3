package reference

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// begins: a step begins when all that it depends on has ended well, in a run that is on its way, and not more of them
// at a time than the workflow takes.
func (c *change) begins() {
	const rule = "a step begins when it may"
	acting := 0
	for i := range c.run.Steps {
		rec, decl := &c.run.Steps[i], &c.spec.Workflow.Steps[i]
		if on(rec.Phase) && !passive(decl) {
			acting++
		}
		if !c.starts(i) {
			continue
		}
		for _, name := range decl.DependsOn {
			if dep, how := c.step(name); !dep.Phase.Ended() || !endedWell(dep, how) && !looksBack(decl) {
				c.breaks(rule, "step %s begins, and %s, which it depends on, is %s %s", decl.Name, name, dep.Phase, dep.Reason)
			}
		}
		switch c.before.Phase {
		case model.RunPaused:
			if c.run.Phase == model.RunPaused {
				c.breaks(rule, "step %s begins while the run is paused", decl.Name)
			}
		case model.RunFailing, model.RunRollingBack:
			if restarted := c.run.Phase == model.RunRunning && c.restarts() > 0; !looksBack(decl) && !restarted {
				c.breaks(rule, "step %s begins in a run that was %s", decl.Name, c.before.Phase)
			}
		}
	}
	if most := c.spec.Workflow.Parallelism; most > 0 && acting > most {
		c.breaks(rule, "%d steps act, and the workflow takes %d at a time", acting, most)
	}
}

// starts reports whether an attempt of a step began with this save.
func (c *change) starts(step int) bool { return c.run.Steps[step].Attempt > c.old(step).Attempt }

// step returns a step by name, and how it is declared.
func (c *change) step(name string) (*model.StepRun, *model.Step) {
	n := slices.IndexFunc(c.spec.Workflow.Steps, func(s model.Step) bool { return s.Name == name })
	return &c.run.Steps[n], &c.spec.Workflow.Steps[n]
}

// endedWell: it succeeded, was skipped because of its condition or because the run goes back, or its failure does not
// matter.
func endedWell(rec *model.StepRun, decl *model.Step) bool {
	switch rec.Phase {
	case model.StepSucceeded:
		return true
	case model.StepSkipped:
		return rec.Reason == "ConditionNotMet" || rec.Reason == "FastRollback"
	case model.StepFailed:
		return decl.OnFailure == model.StepFailureContinue
	}
	return false
}

// looksBack reports whether the condition of a step speaks of how others ended.
func looksBack(decl *model.Step) bool {
	kind, _, _ := strings.Cut(decl.If, ".")
	return slices.Contains([]string{"always", "succeeded", "failed", "skipped"}, kind)
}

// conditions: what is skipped for its condition did not meet it, and what begins did. It knows the conditions on one
// step.
func (c *change) conditions() {
	for i := range c.run.Steps {
		rec, decl := &c.run.Steps[i], &c.spec.Workflow.Steps[i]
		kind, name, _ := strings.Cut(decl.If, ".")
		holds := true
		switch {
		case decl.If == "" || kind == "always":
		case !looksBack(decl):
			continue
		default:
			dep, _ := c.step(name)
			holds = map[string][]model.StepPhase{
				"succeeded": {model.StepSucceeded}, "failed": {model.StepFailed, model.StepCancelled}, "skipped": {model.StepSkipped},
			}[kind][0] == dep.Phase || kind == "failed" && dep.Phase == model.StepCancelled
		}
		skipped := rec.Phase == model.StepSkipped && rec.Reason == "ConditionNotMet"
		if skipped && holds || c.starts(i) && !holds {
			c.breaks("a condition decides", "step %s is %s %s, and its condition is %s", decl.Name, rec.Phase, rec.Reason, decl.If)
		}
	}
}
