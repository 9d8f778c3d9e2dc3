package workflow

import (
	"errors"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// stagedStep brings components to their next version in stages, beside the one
// that runs: a canary, or a switch from blue to green. When it fails, is
// cancelled or runs out of time, the version that ran before is back at once.
type stagedStep struct{}

func (stagedStep) begin(p *pass, s *step) error {
	stages, check, err := plan(s)
	if err != nil {
		return err
	}
	if check != nil {
		if err := check.valid(); err != nil {
			return err
		}
	}
	if err := p.writeUndo(s); err != nil {
		return err
	}
	if p.run.Fast || !p.stage(s, stages[0]) {
		s.rec.Stage = len(stages)
		p.promote(s)
	}
	return nil
}

// plan returns the stages of a step, at least one.
func plan(s *step) ([]stage, *checkProperties, error) {
	if s.Type == "canary" {
		var c canaryProperties
		if err := read(s.Step, &c); err != nil {
			return nil, nil, err
		}
		if len(c.Stages) == 0 {
			return nil, nil, errors.New("a canary needs at least one stage")
		}
		return c.Stages, c.Check, nil
	}
	var b blueGreenProperties
	if err := read(s.Step, &b); err != nil {
		return nil, nil, err
	}
	return []stage{
		{Weight: 100, extra: true, traffic: model.TrafficStable, Pause: b.Pause, Manual: b.Manual},
		{Weight: 100, extra: true, traffic: model.TrafficNext, Pause: b.Keep},
	}, b.Check, nil
}

// stage aims at a stage and says whether there is anything to stage: what is new,
// or did not change, is brought at once.
func (p *pass) stage(s *step, st stage) (staged bool) {
	for _, name := range components(p.spec, s.Step) {
		c, _ := p.spec.Component(name)
		next := versionOf(p.spec, c)
		t, ok := p.run.Target(name)
		if !ok || t.Stable.Content == next.Content || !c.Runs() {
			aim(&p.run, model.Target{Component: name, Stable: next})
			continue
		}
		staged = true
		aim(&p.run, model.Target{
			Component: name, Stable: t.Stable, Next: &next, Traffic: st.traffic,
			Share: model.Share{Replicas: st.Replicas, Weight: st.Weight, Extra: st.extra},
		})
	}
	return staged
}

func (stagedStep) progress(p *pass, s *step) {
	stages, check, err := plan(s)
	if err != nil {
		p.fail(s, ClassInvalid, err.Error())
		return
	}
	ready := p.arrived(s)
	if s.rec.Phase != model.StepActive {
		return
	}
	if s.rec.Stage >= len(stages) {
		if ready {
			p.promote(s)
			p.succeed(s, reasonDone, nil)
		}
		return
	}
	st := stages[s.rec.Stage]
	if s.rec.Until.IsZero() { // on its way to the stage
		if !ready {
			return
		}
		s.rec.Until = p.now.Add(time.Duration(st.Pause))
		if check != nil {
			p.ask(s)
		}
	} else if check != nil {
		p.answer(s, check)
		if s.rec.Phase != model.StepActive {
			return
		}
	}
	switch {
	case check != nil && s.rec.Passed < check.times():
	case st.Manual && !s.rec.Resumed:
	case !s.rec.Resumed && p.now.Before(s.rec.Until):
	default:
		p.nextStage(s, stages)
	}
}

func (p *pass) nextStage(s *step, stages []stage) {
	s.rec.Stage++
	s.rec.Until, s.rec.Next, s.rec.Passed, s.rec.Missed, s.rec.Resumed = time.Time{}, time.Time{}, 0, 0, false
	if s.rec.Stage < len(stages) {
		p.stage(s, stages[s.rec.Stage])
	} else {
		p.handOver(s)
	}
}

// handOver makes the next version the stable one. Where there is room for two, it
// serves beside that until that is ready, so that requests never find less.
func (p *pass) handOver(s *step) {
	for _, name := range components(p.spec, s.Step) {
		t, ok := p.run.Target(name)
		if !ok || t.Next == nil || !t.Share.Extra {
			c, _ := p.spec.Component(name)
			aim(&p.run, model.Target{Component: name, Stable: versionOf(p.spec, c)})
			continue
		}
		both := *t
		both.Stable = *t.Next
		aim(&p.run, both)
	}
}

// abort brings back at once what ran before. What did not run before stays as it
// is: there is nothing to go back to.
func (stagedStep) abort(p *pass, s *step) {
	if s.rec.Undo == nil {
		return
	}
	for _, t := range s.rec.Undo.Targets {
		if t.Stable != (model.Version{}) {
			aim(&p.run, t)
		}
	}
}
