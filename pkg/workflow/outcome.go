package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// classExpired ends what acts when the time of the whole run is over.
const classExpired = "run-timeout"

// onItsWay reports whether nothing has turned the run to its end.
func (x *execution) onItsWay() bool {
	return x.run.Phase == model.RunRunning || x.run.Phase == model.RunPaused
}

// leaving reports whether the run is on its way out and a step has no more attempts.
func (x *execution) leaving(decl *model.Step) bool { return !x.onItsWay() && !looksBack(decl) }

// failed draws the conclusion from a step that failed for good.
func (x *execution) failed(decl *model.Step) {
	goesBack := x.run.Phase == model.RunFailing && decl.OnFailure == model.StepFailureRollback && !looksBack(decl)
	if !x.onItsWay() && !goesBack {
		return
	}
	message := fmt.Sprintf("step %s failed", decl.Name)
	switch decl.OnFailure {
	case model.StepFailureContinue:
	case model.StepFailureRollback:
		x.leave(model.RunRollingBack, message)
	default:
		x.leave(model.RunFailing, message)
	}
}

// leave turns the run to its end. A step with effects outside continues to its end, a
// step that only waits or observes ends at once, and nothing starts but steps whose
// conditions are about how others ended.
func (x *execution) leave(phase model.RunPhase, message string) {
	x.to(phase, message)
	latest := x.now
	for _, s := range x.steps {
		switch back := looksBack(s.Step); {
		case s.rec.Phase.Ended():
		case s.rec.Phase == model.StepActive && (back || slices.Contains(s.kind.traits().finishes, phase)):
			if s.rec.Deadline.After(latest) {
				latest = s.rec.Deadline
			}
		case !back || s.rec.Phase == model.StepRetrying:
			s.cancel(reasonFailing)
		}
	}
	x.run.Deadline = latest.Add(endTime)
	if phase == model.RunRollingBack {
		x.run.Deadline = x.run.Deadline.Add(x.steps.undoTime())
		restoreUnnamed(&x.run, x.spec)
	}
}

// expire deals with the deadline of the run.
func (x *execution) expire() {
	at := x.run.Deadline.UTC().Format(time.RFC3339)
	if !x.onItsWay() { // the time for the end is over, too
		x.steps.cancel(reasonEnded)
		for _, s := range x.steps {
			if toUndo(s.rec) {
				s.undoIs(model.StepFailed, "not taken back by "+at)
			}
		}
		x.run.Message += "; its end took longer than until " + at
		if x.run.Phase == model.RunRollingBack {
			x.endUndone()
			return
		}
		x.to(model.RunFailed, x.run.Message)
		return
	}
	open := make([]*step, 0, len(x.steps))
	for _, s := range x.steps {
		switch s.rec.Phase {
		case model.StepActive, model.StepRetrying, model.StepQueued:
			open = append(open, s)
		}
	}
	severity := func(s *step) int {
		return slices.Index([]model.StepFailure{model.StepFailureRollback, model.StepFailureStop, model.StepFailureContinue}, cmp.Or(s.OnFailure, model.StepFailureStop))
	}
	slices.SortStableFunc(open, func(a, b *step) int { return cmp.Compare(severity(a), severity(b)) })
	for _, s := range open {
		if !s.rec.Phase.Ended() {
			s.fail(classExpired, "the run had to end by "+at)
		}
	}
	if x.onItsWay() {
		x.leave(model.RunFailing, "the run had to end by "+at)
	}
}

// end ends the run when nothing is left to do.
func (x *execution) end() bool {
	if slices.ContainsFunc(x.steps, func(s *step) bool { return !s.rec.Phase.Ended() }) {
		return x.unwind()
	}
	switch {
	case x.onItsWay():
		x.arrive()
	case x.run.Phase == model.RunFailing:
		x.to(model.RunFailed, x.run.Message)
	case x.run.Phase == model.RunRollingBack:
		if !x.steps.undone() {
			return x.unwind()
		}
		x.endUndone()
	}
	return true
}

// arrive ends the run well: later runs go back to its spec.
func (x *execution) arrive() {
	var message string
	for _, s := range x.steps {
		if s.rec.Phase == model.StepFailed {
			message = fmt.Sprintf("step %s failed, which does not matter", s.Name)
		}
	}
	x.to(model.RunSucceeded, message)
	run := &x.run
	others := slices.DeleteFunc(slices.Clone(run.Good), func(d model.Digest) bool { return d == run.Spec })
	run.Good = slices.Insert(others, 0, run.Spec)[:min(len(others)+1, model.GoodLimit)]
	for _, s := range x.steps {
		s.rec.Undo = nil // a successful run is not taken back
	}
	run.Targets = slices.DeleteFunc(run.Targets, func(t model.Target) bool {
		_, there := x.spec.Component(t.Component)
		return !there
	})
	run.Base = slices.Clone(run.Targets)
}
