package workflow

import (
	"cmp"
	"time"
)

// waitStep lets time pass, or until somebody resumes it.
type waitStep struct{}

func (waitStep) passive() {}

func (waitStep) begin(p *pass, s *step) error {
	var w waitProperties
	if err := read(s.Step, &w); err != nil {
		return err
	}
	s.rec.Until = p.now.Add(time.Duration(w.For))
	if s.rec.Until.After(s.rec.Deadline) {
		s.rec.Deadline = s.rec.Until
	}
	return nil
}

func (waitStep) progress(p *pass, s *step) {
	switch {
	case s.rec.Resumed:
		p.succeed(s, reasonResumed, nil)
	case !p.now.Before(s.rec.Until):
		p.succeed(s, reasonDone, nil)
	}
}

// approvalStep waits until enough people have approved, or one has rejected.
type approvalStep struct{}

func (approvalStep) passive() {}

func (approvalStep) begin(p *pass, s *step) error {
	var a approvalProperties
	s.rec.Deadline = p.now.Add(cmp.Or(s.Timeout, approvalTimeout))
	return read(s.Step, &a)
}

func (approvalStep) progress(p *pass, s *step) {
	var a approvalProperties
	if err := read(s.Step, &a); err != nil {
		p.fail(s, ClassInvalid, err.Error())
		return
	}
	if len(s.rec.Actors) >= max(1, a.Count) {
		p.succeed(s, reasonApproved, nil)
	}
}
