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
	stages []stage
	check  *checkProperties // nil: none
}

func (p canaryProperties) staged() kind { return stagedStep{p.Stages, p.Check} }

func (p blueGreenProperties) staged() kind {
	return stagedStep{[]stage{
		{Weight: 100, extra: true, traffic: model.TrafficStable, Pause: p.Pause, Manual: p.Manual},
		{Weight: 100, extra: true, traffic: model.TrafficNext, Pause: p.Keep},
	}, p.Check}
}

func (k stagedStep) traits() traits {
	manual := slices.ContainsFunc(k.stages, func(st stage) bool { return st.Manual })
	return traits{rollout: true, fast: true, resumable: true, people: manual}
}

func (k stagedStep) begin(s *step) (err error) {
	if len(k.stages) == 0 {
		return errors.New("a canary needs at least one stage")
	}
	if k.check != nil {
		if err := k.check.valid(); err != nil {
			return err
		}
	}
	r := s.rollout()
	if s.rec.Undo, err = r.undo(); err != nil {
		return err
	}
	if s.x.run.Fast || !r.stage(k.stages[0]) {
		s.rec.Stage = len(k.stages)
		r.promote()
		return nil
	}
	s.rec.Staged = s.x.now
	return nil
}

func (k stagedStep) progress(s *step) {
	ready := s.arrived()
	if s.rec.Phase != model.StepActive {
		return
	}
	if s.rec.Stage >= len(k.stages) {
		if ready {
			s.rollout().promote()
			s.succeed(reasonDone, nil)
		}
		return
	}
	st := k.stages[s.rec.Stage]
	if s.rec.Until.IsZero() { // on its way to the stage
		if !ready {
			return
		}
		s.rec.Until = s.x.now.Add(time.Duration(st.Pause))
		if k.check != nil {
			ask(s.rec)
		}
	} else if k.check != nil {
		k.check.takeAnswer(s)
		if s.rec.Phase != model.StepActive {
			return
		}
	}
	switch {
	case k.check != nil && s.rec.Passed < k.check.times():
	case st.Manual && !s.rec.Resumed:
	case !s.rec.Resumed && s.x.now.Before(s.rec.Until):
	default:
		k.next(s)
	}
}

func (k stagedStep) next(s *step) {
	s.rec.Stage++
	s.rec.Staged = s.x.now
	s.rec.Until, s.rec.Next, s.rec.Passed, s.rec.Missed, s.rec.Resumed = time.Time{}, time.Time{}, 0, 0, false
	if s.rec.Stage < len(k.stages) {
		s.rollout().stage(k.stages[s.rec.Stage])
	} else {
		s.rollout().handOver()
	}
}

// abort brings back at once what ran before. Where no run has succeeded yet, that is the
// version that the next one runs beside.
func (stagedStep) abort(s *step) {
	if s.rec.Undo == nil {
		return
	}
	for _, t := range s.rec.Undo.Targets {
		if now, ok := s.x.run.Target(t.Component); ok && t.Stable == (model.Version{}) {
			t.Stable = now.Stable
		}
		setTarget(&s.x.run, t)
	}
}

func (k stagedStep) intent(run *model.Run, _ *model.Step, rec *model.StepRun) Intent {
	if rec.Until.IsZero() {
		return Intent{}
	}
	return k.check.probe(run, rec)
}

func (k stagedStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	w := Wait{Until: rec.Deadline}
	if rec.Stage >= len(k.stages) {
		w.For = "the new version to be ready alone"
		return w
	}
	at := fmt.Sprintf("stage %d of %d", rec.Stage+1, len(k.stages))
	st := k.stages[rec.Stage]
	switch {
	case rec.Until.IsZero():
		w.For = at + " to be ready"
	case k.check != nil && rec.Passed < k.check.times():
		w.For = k.check.answers(rec) + ", in " + at
	case st.Manual && !rec.Resumed:
		w.For, w.Action, w.People = "somebody to resume it in "+at, model.CommandResume, true
	default:
		w.For, w.Until, w.Action = "the pause of "+at, rec.Until, model.CommandResume
	}
	return w
}
