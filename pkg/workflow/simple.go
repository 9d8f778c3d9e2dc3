package workflow

import (
	"cmp"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// deployStep rolls out components in the version of the run and waits until they
// are ready as far as they are granted.
type deployStep struct{ simple }

func (deployStep) traits() traits {
	return traits{rollout: true, fast: true, finishes: []model.RunPhase{model.RunFailing}}
}

func (deployStep) begin(s *step) (err error) {
	r := s.rollout()
	if s.rec.Undo, err = r.undo(); err != nil {
		return err
	}
	r.promote()
	return nil
}

func (deployStep) progress(s *step) {
	if s.arrived() {
		s.succeed(reasonDone, nil)
	}
}

func (deployStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: "its components to be ready", Until: rec.Deadline}
}

// arrived reports whether all components of the step are ready. It fails the step
// if one has failed for good.
func (s *step) arrived() bool {
	ready, name, failure := s.rollout().arrived()
	if failure != nil {
		s.fail(cmp.Or(failure.Reason, failure.Class, "failed"), fmt.Sprintf("component %s: %s", name, failure.Message))
	}
	return ready
}

// jobStep runs a component once, to its end.
type jobStep struct{ simple }

func (jobStep) traits() traits { return traits{memo: true, finishes: leavingPhases} }

func (jobStep) begin(s *step) error {
	for _, name := range []string{s.Component, s.Undo} {
		if _, ok := s.x.spec.Component(name); !ok && (name != "" || s.Component == "") {
			return fmt.Errorf("there is no component %q", name)
		}
	}
	s.rec.Job = s.Component
	if s.Undo != "" {
		s.rec.Undo = &model.Undo{Component: s.Undo, Phase: model.StepPending}
	}
	return nil
}

func (jobStep) progress(s *step) { s.takeResult() }

func (jobStep) intent(run *model.Run, decl *model.Step, rec *model.StepRun) Intent {
	return Intent{Key: keyOf(run, rec), Job: &Job{Component: decl.Component, Spec: run.Spec, Inputs: rec.Inputs, Lock: decl.Lock}}
}

func (jobStep) wait(decl *model.Step, rec *model.StepRun) Wait {
	return Wait{For: "the job " + decl.Component + " to end", Until: rec.Deadline}
}

// notifyStep sends a message to a receiver outside, at least once.
type notifyStep struct {
	simple
	notifyProperties
}

func (notifyStep) traits() traits { return traits{fast: true, finishes: leavingPhases} }

func (notifyStep) begin(*step) error { return nil }

func (notifyStep) progress(s *step) { s.takeResult() }

func (n notifyStep) intent(run *model.Run, decl *model.Step, rec *model.StepRun) Intent {
	first := *rec
	first.Attempt = rec.First
	notice := &Notice{
		URL: n.URL, Secret: n.Secret, Event: keyOf(run, &first), Message: n.Message,
		App: run.App, Run: run.ID, Spec: run.Spec, Inputs: rec.Inputs,
	}
	for _, name := range decl.DependsOn {
		if dep, ok := run.Step(name); ok {
			notice.Steps = append(notice.Steps, NoticeStep{dep.Name, dep.Phase, dep.Message})
		}
	}
	return Intent{Key: keyOf(run, rec), Notice: notice}
}

func (notifyStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: "the receiver to take the message", Until: rec.Deadline}
}

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
