package workflow

import (
	"cmp"
	"fmt"

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
