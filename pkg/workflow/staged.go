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
	k.place(s)
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
	if s.rec.Until.IsZero() { // older records had it once the stage was ready
		s.rec.Until = s.rec.Staged.Add(time.Duration(k.stages[s.rec.Stage].Pause))
	}
	if !ready {
		return
	}
	enough := true
	if k.check != nil {
		if enough, _ = k.check.ask(s); s.rec.Phase != model.StepActive {
			return
		}
	}
	switch {
	case !enough:
	case k.stages[s.rec.Stage].Manual && !s.rec.Resumed:
	case !s.rec.Resumed && s.x.now.Before(s.rec.Until):
	default:
		k.next(s)
	}
}

// next ends a stage.
func (k stagedStep) next(s *step) {
	s.rec.Stage++
	k.place(s)
	if s.rec.Stage < len(k.stages) {
		s.rollout().stage(k.stages[s.rec.Stage])
	} else {
		s.rollout().handOver()
	}
}

// place begins a stage, and fixes its earliest end: nothing more is saved before it
// ends.
func (k stagedStep) place(s *step) {
	s.rec.Staged, s.rec.Until, s.rec.Resumed = s.x.now, time.Time{}, false
	if s.rec.Stage < len(k.stages) {
		s.rec.Until = s.x.now.Add(time.Duration(k.stages[s.rec.Stage].Pause))
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

func (stagedStep) intent(*model.Run, *model.Step, *model.StepRun) Intent { return Intent{} }

func (k stagedStep) asks() *checkProperties { return k.check }

func (k stagedStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	w := Wait{For: "the new version to be ready alone", Until: rec.Deadline}
	if rec.Stage >= len(k.stages) {
		return w
	}
	st, at := k.stages[rec.Stage], fmt.Sprintf("stage %d of %d", rec.Stage+1, len(k.stages))
	answers := ""
	if k.check != nil {
		answers = " and " + k.check.answers()
	}
	switch {
	case st.Manual && !rec.Resumed:
		w.For, w.Action, w.People = "somebody to resume it in "+at+answers, model.CommandResume, true
	case st.Pause > 0 && !rec.Resumed:
		w.For, w.Action = fmt.Sprintf("%s to be ready%s, not before %s", at, answers, rec.Until.UTC().Format(time.RFC3339)), model.CommandResume
	default:
		w.For = at + " to be ready" + answers
	}
	return w
}
