package workflow

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

// consider decides about a pending step. Once everything it depends on has ended,
// it is queued, skipped, or failed because its condition is invalid.
func (s *step) consider() (changed bool) {
	if s.rec.Phase != model.StepPending || !s.x.open() {
		return false
	}
	well := true
	for _, name := range s.DependsOn {
		dep := s.x.steps.find(name)
		if dep == nil {
			s.fail(ClassInvalid, fmt.Sprintf("it depends on step %s, which does not exist", name))
			return true
		}
		if !dep.rec.Phase.Ended() {
			return false
		}
		well = well && endedWell(dep.Step, dep.rec)
	}
	if s.x.run.Fast && !s.kind.traits().fast {
		s.enter(model.StepSkipped, reasonFast, "this spec succeeded lately")
		return true
	}
	takesOver, holds, err := s.condition()
	switch {
	case err != nil:
		s.fail(ClassInvalid, err.Error())
	case !well && !takesOver:
		s.enter(model.StepSkipped, reasonDependency, "")
	case !holds:
		s.enter(model.StepSkipped, reasonCondition, s.If)
	default:
		s.enter(model.StepQueued, reasonTurn, "")
	}
	return true
}

// endedWell reports whether steps that depend on this one may start without a
// condition of their own. A step that did not have to be done is no obstacle.
func endedWell(decl *model.Step, rec *model.StepRun) bool {
	switch rec.Phase {
	case model.StepSucceeded:
		return true
	case model.StepSkipped:
		return rec.Reason == reasonCondition || rec.Reason == reasonFast
	case model.StepFailed:
		return decl.OnFailure == model.StepFailureContinue
	}
	return false
}

// condition evaluates the condition of the step. A condition on how steps ended
// replaces the rule that dependencies have to end well.
func (s *step) condition() (takesOver, holds bool, err error) {
	if s.If == "" {
		return false, true, nil
	}
	c, err := condition.Parse(s.If)
	if err != nil {
		return false, false, err
	}
	values := s.x.steps.outcomes()
	for _, in := range s.Inputs {
		if value, ok := s.x.steps.input(in); ok {
			values.Inputs[in.Name] = value
		}
	}
	holds, err = c.Holds(values)
	return c.Results(), holds, err
}

// looksBack reports whether the condition of a step is about how others ended, so
// that the step has something to do in a run that fails.
func looksBack(decl *model.Step) bool {
	if decl.If == "" {
		return false
	}
	c, err := condition.Parse(decl.If)
	return err == nil && c.Results()
}
