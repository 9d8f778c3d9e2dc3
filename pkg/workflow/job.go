package workflow

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

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
