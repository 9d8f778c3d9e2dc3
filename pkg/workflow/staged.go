package workflow

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// stagedStep rolls out the next version of components in stages, beside the
// version that runs: a canary, or a switch from blue to green. When it fails, is
// cancelled or times out, the version that ran before is back at once.
type stagedStep struct {
	plan func(*model.Step) ([]stage, *checkProperties, error) // at least one stage
}

func canaryPlan(decl *model.Step) ([]stage, *checkProperties, error) {
	var c canaryProperties
	if err := read(decl, &c); err != nil {
		return nil, nil, err
	}
	if len(c.Stages) == 0 {
		return nil, nil, errors.New("a canary needs at least one stage")
	}
	return c.Stages, c.Check, nil
}

func blueGreenPlan(decl *model.Step) ([]stage, *checkProperties, error) {
	var b blueGreenProperties
	if err := read(decl, &b); err != nil {
		return nil, nil, err
	}
	return []stage{
		{Weight: 100, extra: true, traffic: model.TrafficStable, Pause: b.Pause, Manual: b.Manual},
		{Weight: 100, extra: true, traffic: model.TrafficNext, Pause: b.Keep},
	}, b.Check, nil
}

func (stagedStep) traits() traits { return traits{rollout: true, fast: true, resumable: true} }

func (k stagedStep) begin(s *step) error {
	stages, check, err := k.plan(s.Step)
	if err != nil {
		return err
	}
	if check != nil {
		if err := check.valid(); err != nil {
			return err
		}
	}
	r := s.rollout()
	if s.rec.Undo, err = r.undo(); err != nil {
		return err
	}
	if s.x.run.Fast || !r.stage(stages[0]) {
		s.rec.Stage = len(stages)
		r.promote()
	}
	return nil
}

func (k stagedStep) progress(s *step) {
	stages, check, err := k.plan(s.Step)
	if err != nil {
		s.fail(ClassInvalid, err.Error())
		return
	}
	ready := s.arrived()
	if s.rec.Phase != model.StepActive {
		return
	}
	if s.rec.Stage >= len(stages) {
		if ready {
			s.rollout().promote()
			s.succeed(reasonDone, nil)
		}
		return
	}
	st := stages[s.rec.Stage]
	if s.rec.Until.IsZero() { // on its way to the stage
		if !ready {
			return
		}
		s.rec.Until = s.x.now.Add(time.Duration(st.Pause))
		if check != nil {
			ask(s.rec)
		}
	} else if check != nil {
		check.takeAnswer(s)
		if s.rec.Phase != model.StepActive {
			return
		}
	}
	switch {
	case check != nil && s.rec.Passed < check.times():
	case st.Manual && !s.rec.Resumed:
	case !s.rec.Resumed && s.x.now.Before(s.rec.Until):
	default:
		nextStage(s, stages)
	}
}

func nextStage(s *step, stages []stage) {
	s.rec.Stage++
	s.rec.Until, s.rec.Next, s.rec.Passed, s.rec.Missed, s.rec.Resumed = time.Time{}, time.Time{}, 0, 0, false
	if s.rec.Stage < len(stages) {
		s.rollout().stage(stages[s.rec.Stage])
	} else {
		s.rollout().handOver()
	}
}

// abort brings back at once what ran before. A component that did not run before
// stays as it is: there is nothing to go back to.
func (stagedStep) abort(s *step) {
	if s.rec.Undo == nil {
		return
	}
	for _, t := range s.rec.Undo.Targets {
		if t.Stable != (model.Version{}) {
			setTarget(&s.x.run, t)
		}
	}
}

func (k stagedStep) intent(run *model.Run, decl *model.Step, rec *model.StepRun) Intent {
	_, check, err := k.plan(decl)
	if err != nil || rec.Until.IsZero() {
		return Intent{}
	}
	return check.intent(run, rec)
}

func (k stagedStep) wait(decl *model.Step, rec *model.StepRun) Wait {
	w := Wait{For: "being done", Until: rec.Deadline}
	stages, check, err := k.plan(decl)
	if err != nil {
		return w
	}
	if rec.Stage >= len(stages) {
		w.For = "the new version to be ready alone"
		return w
	}
	at := fmt.Sprintf("stage %d of %d", rec.Stage+1, len(stages))
	st := stages[rec.Stage]
	switch {
	case rec.Until.IsZero():
		w.For = at + " to be ready"
	case check != nil && rec.Passed < check.times():
		w.For = check.answers(rec) + ", in " + at
	case st.Manual && !rec.Resumed:
		w.For, w.Action, w.People = "somebody to resume it in "+at, model.CommandResume, true
	default:
		w.For, w.Until, w.Action = "the pause of "+at, rec.Until, model.CommandResume
	}
	return w
}

// manual reports whether somebody has to resume one of the stages.
func (k stagedStep) manual(decl *model.Step) bool {
	stages, _, _ := k.plan(decl)
	return slices.ContainsFunc(stages, func(st stage) bool { return st.Manual })
}
