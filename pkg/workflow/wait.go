package workflow

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// waitStep waits for a time to pass, or until a person resumes it.
type waitStep struct {
	simple
	waitProperties
}

func (waitStep) traits() traits { return traits{passive: true, resumable: true} }

func (w waitStep) begin(s *step) error {
	s.rec.Until = s.x.now.Add(time.Duration(w.For))
	if s.rec.Until.After(s.rec.Deadline) {
		s.rec.Deadline = s.rec.Until
	}
	return nil
}

func (waitStep) progress(s *step) {
	switch {
	case s.rec.Resumed:
		s.succeed(reasonResumed, nil)
	case !s.x.now.Before(s.rec.Until):
		s.succeed(reasonDone, nil)
	}
}

func (waitStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: "its time to pass", Until: rec.Until, Action: model.CommandResume}
}
