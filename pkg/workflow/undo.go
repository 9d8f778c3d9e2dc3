package workflow

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// toUndo reports whether a step did something that is still to be taken back. A
// step that failed or was cancelled half way counts, too.
func toUndo(rec *model.StepRun) bool {
	u := rec.Undo
	return u != nil && u.Phase != model.StepSucceeded && u.Phase != model.StepFailed
}

// unwind queues the next step to be taken back: the one that started last, once
// nothing acts any more.
func (x *execution) unwind() bool {
	if x.run.Phase != model.RunRollingBack {
		return false
	}
	var last *step
	for _, s := range x.steps {
		if s.rec.Phase == model.StepActive || s.rec.Phase == model.StepRetrying {
			return false
		}
		if !toUndo(s.rec) {
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
	last.undoIs(model.StepQueued, last.rec.Undo.Message)
	return true
}

// takeBack begins an attempt to undo a step.
func (s *step) takeBack() {
	u := s.rec.Undo
	u.Attempt++
	forget(&s.x.run, s.Name) // what is taken back is not done any more
	s.undoIs(model.StepActive, "")
	u.Next = time.Time{}
	u.Deadline = s.x.now.Add(cmp.Or(s.Timeout, stepTimeout))
	for _, t := range u.Targets {
		setTarget(&s.x.run, t)
	}
}

// progressUndo carries on a step that is being taken back. A step that cannot be
// taken back does not keep others from it.
func (s *step) progressUndo() {
	u := s.rec.Undo
	switch {
	case u == nil:
	case u.Phase == model.StepActive:
		s.judgeUndo()
	case u.Phase == model.StepRetrying && !s.x.now.Before(u.Next):
		s.takeBack()
	}
}

func (s *step) judgeUndo() {
	u := s.rec.Undo
	failure := ""
	switch r := s.x.turn.result(undoKey(&s.x.run, s.rec)); {
	case u.Component != "" && r != nil && !r.OK:
		failure = cmp.Or(r.Class, "failed") + ": " + r.Message
	case u.Component != "" && r != nil, u.Component == "" && restored(u.Targets, s.x.turn.Seen, s.x.spec):
		s.undoIs(model.StepSucceeded, u.Message)
		u.Next = time.Time{}
		return
	case !s.x.now.Before(u.Deadline):
		failure = ClassTimeout + ": not taken back by " + u.Deadline.UTC().Format(time.RFC3339) + s.x.turn.lastSeen(undoKey(&s.x.run, s.rec))
	default:
		return
	}
	s.undoIs(model.StepFailed, text.Line(failure, maxMessage))
	if u.Attempt < s.Retry.Attempts {
		u.Phase, u.Next = model.StepRetrying, s.x.now.Add(s.Retry.Backoff.After(u.Attempt))
	}
}

// undoIs moves the undo of a step into a phase.
func (s *step) undoIs(phase model.StepPhase, message string) {
	u := s.rec.Undo
	u.Phase, u.Message, u.Since = phase, message, s.x.now
}

// restored reports whether everything runs again that ran before.
func restored(targets []model.Target, seen []Seen, spec *model.Application) bool {
	return !slices.ContainsFunc(targets, func(t model.Target) bool {
		ready, _ := runs(seen, spec, t.Component, t.Stable, nil)
		return t.Stable != (model.Version{}) && !ready
	})
}

func undoKey(run *model.Run, rec *model.StepRun) string {
	return keyOf(run, rec) + "/undo/" + strconv.Itoa(rec.Undo.Attempt)
}

// endUndone ends a run that was taken back. What a superseded run had begun before
// it is gone, too: everything is as it was when a run succeeded last.
func (x *execution) endUndone() {
	x.run.Targets = slices.Clone(x.run.Base)
	for _, s := range x.steps {
		if u := s.rec.Undo; u != nil && u.Phase == model.StepFailed {
			x.to(model.RunFailed, x.run.Message+", and step "+s.Name+" could not be taken back")
			return
		}
	}
	x.to(model.RunRolledBack, x.run.Message)
}
