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

// leaving says whether the run is on its way out and s has no more attempts.
func (p *pass) leaving(s *step) bool {
	switch p.run.Phase {
	case model.RunRunning, model.RunPaused:
		return false
	}
	return !looksBack(s)
}

// failed draws the conclusion from a step that failed for good.
func (p *pass) failed(s *step) {
	switch p.run.Phase {
	case model.RunRunning, model.RunPaused:
	case model.RunFailing:
		if s.OnFailure != "rollback" || looksBack(s) {
			return
		}
	default:
		return
	}
	message := fmt.Sprintf("step %s failed", s.Name)
	switch s.OnFailure {
	case "continue":
	case "rollback":
		p.leave(model.RunRollingBack, message)
	default:
		p.leave(model.RunFailing, message)
	}
}

// leave turns the run to its end. What has effects outside ends by itself, what
// only waits or looks ends at once, and nothing starts but steps that look back.
func (p *pass) leave(phase model.RunPhase, message string) {
	p.to(phase, message)
	latest := p.now
	for i := range p.steps {
		s := &p.steps[i]
		switch back := looksBack(s); {
		case s.rec.Phase.Ended():
		case s.rec.Phase == model.StepActive && (back || s.finishes(phase)):
			if s.rec.Deadline.After(latest) {
				latest = s.rec.Deadline
			}
		case !back || s.rec.Phase == model.StepRetrying:
			p.cancel(s, reasonFailing)
		}
	}
	p.run.Deadline = latest.Add(endTime)
	if phase == model.RunRollingBack {
		p.run.Deadline = p.run.Deadline.Add(p.undoTime())
		p.restoreUnnamed()
	}
}

// finishes says whether an attempt of the step goes on to its end in a run that
// turned to phase.
func (s *step) finishes(phase model.RunPhase) bool {
	switch s.Type {
	case "job", "notify":
		return true
	case "deploy":
		return phase == model.RunFailing
	}
	return false
}

// expire deals with the deadline of the run.
func (p *pass) expire() {
	at := p.run.Deadline.UTC().Format(time.RFC3339)
	switch p.run.Phase {
	case model.RunRunning, model.RunPaused:
	default: // the time for the end is over, too
		p.cancelAll(reasonEnded)
		for i := range p.steps {
			if u := p.steps[i].rec.Undo; u != nil && p.toUndo(&p.steps[i]) {
				u.Phase, u.Message = model.StepFailed, "not taken back by "+at
			}
		}
		p.run.Message += "; its end took longer than until " + at
		if p.run.Phase == model.RunRollingBack {
			p.endUndone()
			return
		}
		p.to(model.RunFailed, p.run.Message)
		return
	}
	open := make([]*step, 0, len(p.steps))
	for i := range p.steps {
		switch p.steps[i].rec.Phase {
		case model.StepActive, model.StepRetrying, model.StepQueued:
			open = append(open, &p.steps[i])
		}
	}
	severity := func(s *step) int {
		return slices.Index([]string{"rollback", "stop", "continue"}, cmp.Or(s.OnFailure, "stop"))
	}
	slices.SortStableFunc(open, func(x, y *step) int { return cmp.Compare(severity(x), severity(y)) })
	for _, s := range open {
		if !s.rec.Phase.Ended() {
			p.fail(s, classExpired, "the run had to end by "+at)
		}
	}
	if p.run.Phase == model.RunRunning || p.run.Phase == model.RunPaused {
		p.leave(model.RunFailing, "the run had to end by "+at)
	}
}

// end ends the run when nothing is left to do.
func (p *pass) end() bool {
	for i := range p.steps {
		if !p.steps[i].rec.Phase.Ended() {
			return p.unwind()
		}
	}
	switch p.run.Phase {
	case model.RunRunning, model.RunPaused:
		p.arrive()
	case model.RunFailing:
		p.to(model.RunFailed, p.run.Message)
	case model.RunRollingBack:
		if !p.undone() {
			return p.unwind()
		}
		p.endUndone()
	}
	return true
}

// arrive ends the run well: its spec is what there is to go back to from now on.
func (p *pass) arrive() {
	var message string
	for i := range p.steps {
		if s := &p.steps[i]; s.rec.Phase == model.StepFailed {
			message = fmt.Sprintf("step %s failed, which does not matter", s.Name)
		}
	}
	p.to(model.RunSucceeded, message)
	good := []model.Digest{p.run.Spec}
	for _, d := range p.run.Good {
		if d != p.run.Spec && len(good) < model.GoodLimit {
			good = append(good, d)
		}
	}
	p.run.Good = good
	for i := range p.steps {
		p.steps[i].rec.Undo = nil // what led here is not taken back any more
	}
	p.run.Targets = slices.DeleteFunc(p.run.Targets, func(t model.Target) bool {
		_, there := p.spec.Component(t.Component)
		return !there
	})
	p.run.Base = slices.Clone(p.run.Targets)
}
