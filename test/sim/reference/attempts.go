package reference

import (
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// attempts: a step is tried as often as it declares, and a step that failed for good ends its run, unless its failure does
// not matter.
func (c *change) attempts() {
	for i := range c.run.Steps {
		rec, decl := &c.run.Steps[i], &c.spec.Workflow.Steps[i]
		if n := rec.Attempt - rec.First + 1; rec.First > 0 && n > max(1, decl.Retry.Attempts) {
			c.breaks("a step is tried as often as declared", "step %s is tried %d times", decl.Name, n)
		}
		matters := rec.Phase == model.StepFailed && decl.OnFailure != model.StepFailureContinue
		if matters && (c.run.Phase == model.RunRunning || c.run.Phase == model.RunPaused || c.run.Phase == model.RunSucceeded) {
			c.breaks("a failure ends the run", "step %s failed: %s", decl.Name, rec.Message)
		}
	}
}

// ends: a run succeeds, is taken back or is stopped for a reason.
func (c *change) ends() {
	const rule = "a run ends for a reason"
	if c.before.Phase == c.run.Phase {
		return
	}
	switch c.run.Phase {
	case model.RunSucceeded:
		for i := range c.run.Steps {
			if rec := &c.run.Steps[i]; !rec.Phase.Ended() || rec.Phase == model.StepCancelled {
				c.breaks(rule, "step %s is %s", rec.Name, rec.Phase)
			}
		}
		c.arrives()
	case model.RunRollingBack, model.RunRolledBack:
		if !slices.ContainsFunc(c.run.Steps, func(s model.StepRun) bool {
			_, decl := c.step(s.Name)
			return s.Phase == model.StepFailed && decl.OnFailure == model.StepFailureRollback
		}) {
			c.breaks(rule, "no step failed that asks for it")
		}
	case model.RunSuperseded:
		if c.run.Superseded == "" || c.run.Superseded == c.run.Spec {
			c.breaks(rule, "no other release takes its place")
		}
	}
}

// arrives: a run that succeeded has brought its release, and nothing else is left.
func (c *change) arrives() {
	const rule = "a run that succeeds has brought its release"
	want, left := contents(c.spec), stable(c.run.Targets)
	for name := range left {
		if _, ok := c.spec.Component(name); !ok {
			c.breaks(rule, "%s is left", name)
		}
	}
	for i := range c.run.Steps {
		for _, name := range components(c.spec, &c.spec.Workflow.Steps[i]) {
			if c.run.Steps[i].Phase != model.StepSucceeded {
				delete(want, name)
			}
		}
	}
	for name, content := range want {
		if left[name] != content {
			c.breaks(rule, "%s runs in version %s", name, left[name].Short())
		}
	}
}

// Executes judges the job of a step as it is made, by what the branch says of the application: the attempt is on its way, and
// was not executed before.
func (m *Model) Executes(inst *model.Instance, key string) *Broken {
	const rule = "an attempt is one execution"
	mem, run := m.apps[inst.App], inst.Run
	if mem == nil || run == nil {
		return &Broken{rule, "job " + key + " belongs to no run"}
	}
	parts := strings.Split(key, "/")
	due := false
	if len(parts) >= 3 && parts[0] == string(run.ID) && !run.Phase.Ended() {
		rec, ok := run.Step(parts[1])
		switch {
		case !ok || parts[2] != strconv.Itoa(rec.Attempt):
		case len(parts) == 3:
			due = rec.Phase == model.StepActive
		case len(parts) == 5 && parts[3] == "undo" && rec.Undo != nil:
			due = rec.Undo.Phase == model.StepActive && parts[4] == strconv.Itoa(rec.Undo.Attempt)
		}
	}
	if !due {
		return &Broken{rule, "job " + key + " is made, and its attempt is not on its way"}
	}
	if mem.jobs[key]++; mem.jobs[key] > 1 {
		return &Broken{rule, "job " + key + " is made again"}
	}
	return nil
}

// Lost says that somebody else deleted the job of a step, which is made again if it is still due.
func (m *Model) Lost(app model.AppID, key string) {
	if mem := m.apps[app]; mem != nil {
		delete(mem.jobs, key)
	}
}
