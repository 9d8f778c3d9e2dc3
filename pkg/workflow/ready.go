package workflow

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

// consider decides about a step whose turn may have come: once everything it
// depends on has ended, it is queued, skipped, or failed because its condition
// makes no sense.
func (p *pass) consider(s *step) (changed bool) {
	if s.rec.Phase != model.StepPending || !p.open() {
		return false
	}
	well := true
	for _, name := range s.DependsOn {
		dep := p.step(name)
		if dep == nil {
			p.fail(s, ClassInvalid, fmt.Sprintf("it depends on step %s, which does not exist", name))
			return true
		}
		if !dep.rec.Phase.Ended() {
			return false
		}
		well = well && endedWell(dep)
	}
	if p.run.Fast && !brings(s) {
		p.enter(s.rec, model.StepSkipped, reasonFast, "this spec succeeded lately")
		return true
	}
	takesOver, holds, err := p.condition(s)
	switch {
	case err != nil:
		p.fail(s, ClassInvalid, err.Error())
	case !well && !takesOver:
		p.enter(s.rec, model.StepSkipped, reasonDependency, "")
	case !holds:
		p.enter(s.rec, model.StepSkipped, reasonCondition, s.If)
	default:
		p.enter(s.rec, model.StepQueued, reasonTurn, "")
	}
	return true
}

// open says whether steps may become ready: while a run is taken back, none.
func (p *pass) open() bool { return p.run.Phase != model.RunRollingBack || p.undone() }

func (p *pass) step(name string) *step {
	for i := range p.steps {
		if p.steps[i].Name == name {
			return &p.steps[i]
		}
	}
	return nil
}

// endedWell says whether steps that depend on s may start without a condition of
// their own. A step that was not to be done is no obstacle.
func endedWell(s *step) bool {
	switch s.rec.Phase {
	case model.StepSucceeded:
		return true
	case model.StepSkipped:
		return s.rec.Reason == reasonCondition || s.rec.Reason == reasonFast
	case model.StepFailed:
		return s.OnFailure == "continue"
	}
	return false
}

// brings says whether the step is done in a fast rollback, too.
func brings(s *step) bool {
	switch s.Type {
	case "deploy", "canary", "blue-green", "notify":
		return true
	}
	return false
}

// condition evaluates the step's. One that speaks of how steps ended takes over
// from the rule that dependencies have to end well.
func (p *pass) condition(s *step) (takesOver, holds bool, err error) {
	if s.If == "" {
		return false, true, nil
	}
	c, err := condition.Parse(s.If)
	if err != nil {
		return false, false, err
	}
	v := condition.Values{
		Succeeded: map[string]bool{}, Failed: map[string]bool{}, Skipped: map[string]bool{},
		Inputs: map[string]string{}, Outputs: map[string]map[string]string{},
	}
	for i := range p.steps {
		rec := p.steps[i].rec
		if !rec.Phase.Ended() {
			continue
		}
		v.Succeeded[rec.Name] = rec.Phase == model.StepSucceeded
		v.Failed[rec.Name] = rec.Phase == model.StepFailed || rec.Phase == model.StepCancelled
		v.Skipped[rec.Name] = rec.Phase == model.StepSkipped
		v.Outputs[rec.Name] = map[string]string{}
		for _, o := range rec.Outputs {
			v.Outputs[rec.Name][o.Name] = o.Value
		}
	}
	for _, in := range s.Inputs {
		if value, ok := p.input(in); ok {
			v.Inputs[in.Name] = value
		}
	}
	holds, err = c.Holds(v)
	return c.Results(), holds, err
}

// looksBack says whether the step looks at how others ended, and so has something
// to do in a run that fails.
func looksBack(s *step) bool {
	if s.If == "" {
		return false
	}
	c, err := condition.Parse(s.If)
	return err == nil && c.Results()
}
