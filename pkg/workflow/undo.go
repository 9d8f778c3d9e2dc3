package workflow

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// toUndo says whether the step did something that is still to be taken back. A
// step that failed or was cancelled half way counts, too.
func (p *pass) toUndo(s *step) bool {
	u := s.rec.Undo
	return u != nil && u.Phase != model.StepSucceeded && u.Phase != model.StepFailed
}

// undone says whether nothing is left to take back.
func (p *pass) undone() bool {
	for i := range p.steps {
		if p.toUndo(&p.steps[i]) {
			return false
		}
	}
	return true
}

// undoTime is how long taking everything back may last.
func (p *pass) undoTime() (sum time.Duration) {
	for i := range p.steps {
		if s := &p.steps[i]; p.toUndo(s) {
			sum += cmp.Or(s.Timeout, stepTimeout) * time.Duration(max(1, s.Retry.Attempts))
		}
	}
	return sum
}

// unwind lets the next step be taken back: the one that started last, once
// nothing acts any more.
func (p *pass) unwind() bool {
	if p.run.Phase != model.RunRollingBack {
		return false
	}
	var last *step
	for i := range p.steps {
		s := &p.steps[i]
		if s.rec.Phase == model.StepActive || s.rec.Phase == model.StepRetrying {
			return false
		}
		if !p.toUndo(s) {
			continue
		}
		if s.rec.Undo.Phase != model.StepPending {
			return false
		}
		if last == nil || s.rec.Order > last.rec.Order {
			last = s
		}
	}
	if last == nil {
		return false
	}
	last.rec.Undo.Phase = model.StepQueued
	return true
}

// takeBack begins an attempt to undo a step.
func (p *pass) takeBack(s *step) {
	u := s.rec.Undo
	u.Attempt++
	u.Phase, u.Message, u.Next = model.StepActive, "", time.Time{}
	u.Deadline = p.now.Add(cmp.Or(s.Timeout, stepTimeout))
	for _, t := range u.Targets {
		aim(&p.run, t)
	}
}

// progressUndo looks at what was reported of the step that is being taken back.
// One that cannot be taken back does not keep the others from it.
func (p *pass) progressUndo() {
	if p.run.Phase != model.RunRollingBack {
		return
	}
	for i := range p.steps {
		s := &p.steps[i]
		u := s.rec.Undo
		if u == nil {
			continue
		}
		switch u.Phase {
		case model.StepActive:
			p.judgeUndo(s)
		case model.StepRetrying:
			if !p.now.Before(u.Next) {
				p.takeBack(s)
			}
		}
	}
}

func (p *pass) judgeUndo(s *step) {
	u := s.rec.Undo
	failure := ""
	switch r := p.results[undoKey(&p.run, s.rec)]; {
	case u.Component != "" && r != nil && !r.OK:
		failure = cmp.Or(r.Class, "failed") + ": " + r.Message
	case u.Component != "" && r != nil, u.Component == "" && p.restored(u.Targets):
		u.Phase, u.Next = model.StepSucceeded, time.Time{}
		return
	case !p.now.Before(u.Deadline):
		failure = ClassTimeout + ": not taken back by " + u.Deadline.UTC().Format(time.RFC3339)
	default:
		return
	}
	u.Phase, u.Message = model.StepFailed, bounded(failure, maxMessage)
	if u.Attempt < s.Retry.Attempts {
		u.Phase, u.Next = model.StepRetrying, p.now.Add(s.Retry.Backoff.After(u.Attempt))
	}
}

// restored says whether everything runs again that ran before.
func (p *pass) restored(targets []model.Target) bool {
	for _, t := range targets {
		if t.Stable == (model.Version{}) {
			continue
		}
		if ready, _ := p.fares(t.Component, t.Stable, nil); !ready {
			return false
		}
	}
	return true
}

func undoKey(run *model.Run, rec *model.StepRun) string {
	return keyOf(run, rec) + "/undo/" + strconv.Itoa(rec.Undo.Attempt)
}

// restoreUnnamed brings back what no step deals with, as what comes back after it
// relies on it. What was not there before stays to the end.
func (p *pass) restoreUnnamed() {
	for _, name := range unnamed(p.spec) {
		if t := p.base(name); t.Stable != (model.Version{}) {
			aim(&p.run, t)
		}
	}
}

// base is what ran of a component when a run succeeded last.
func (p *pass) base(component string) model.Target {
	n := slices.IndexFunc(p.run.Base, func(t model.Target) bool { return t.Component == component })
	if n < 0 {
		return model.Target{Component: component}
	}
	return p.run.Base[n]
}

// endUndone ends a run that was taken back. What a superseded run had begun before
// it goes, too: all is as it was when a run succeeded last.
func (p *pass) endUndone() {
	p.run.Targets = slices.Clone(p.run.Base)
	for i := range p.steps {
		if u := p.steps[i].rec.Undo; u != nil && u.Phase == model.StepFailed {
			p.to(model.RunFailed, p.run.Message+", and step "+p.steps[i].Name+" could not be taken back")
			return
		}
	}
	p.to(model.RunRolledBack, p.run.Message)
}
