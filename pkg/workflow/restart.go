package workflow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// restart has steps done again: the named step and all that depend on it, or all.
// Steps that never got to their end, because the run ended, are done then, too.
// Outputs of the other steps stay.
func (x *execution) restart(c model.Command) (refused string) {
	switch {
	case c.Step != "" && x.steps.find(c.Step) == nil:
		return "the workflow has no step " + c.Step
	case x.run.Phase == model.RunFailing || x.run.Phase == model.RunRollingBack:
		return fmt.Sprintf("the run is %s; wait until it has ended", x.run.Phase)
	}
	again := x.steps.again(c.Step, x.run.Phase.Ended())
	for _, s := range x.steps {
		undone := s.rec.Undo != nil && s.rec.Undo.Phase != model.StepPending
		switch {
		case again[s.Name] && (s.rec.Phase == model.StepActive || s.rec.Phase == model.StepRetrying):
			return fmt.Sprintf("step %s is under way; stop the run first", s.Name)
		case !again[s.Name] && undone:
			return fmt.Sprintf("step %s was taken back and would have to be done again, too: restart the whole run", s.Name)
		}
	}
	for _, s := range x.steps {
		if !again[s.Name] {
			continue
		}
		forget(&x.run, s.Name)
		fresh := model.StepRun{Name: s.Name, Attempt: s.rec.Attempt, First: s.rec.Attempt + 1, Undo: s.rec.Undo}
		if fresh.Undo != nil && fresh.Undo.Phase != model.StepPending {
			fresh.Undo = nil
		}
		*s.rec = fresh
		s.enter(model.StepPending, reasonForgotten, "")
	}
	x.run.Deadline = x.now.Add(cmp.Or(flow(x.spec).Timeout, runTimeout))
	if c.Step == "" {
		targetUnnamed(&x.run, x.spec)
	}
	x.to(model.RunRunning, "restarted by "+c.By)
	return ""
}

// again names the steps that a restart from the named one is about. Cut includes
// the steps that the end of the run kept from their own end.
func (list steps) again(from string, cut bool) map[string]bool {
	again := map[string]bool{}
	for _, s := range list {
		ended := s.rec.Phase == model.StepCancelled || s.rec.Phase == model.StepSkipped && !endedWell(s.Step, s.rec)
		again[s.Name] = from == "" || s.Name == from || cut && ended
	}
	for range list { // as often as the longest chain
		for _, s := range list {
			again[s.Name] = again[s.Name] || slices.ContainsFunc(s.DependsOn, func(name string) bool { return again[name] })
		}
	}
	return again
}
