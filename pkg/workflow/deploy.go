package workflow

import (
	"cmp"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// deployStep brings components to run in the version of the run and waits until
// they are ready as far as they are granted.
type deployStep struct{}

func (deployStep) begin(p *pass, s *step) error {
	if err := p.writeUndo(s); err != nil {
		return err
	}
	p.promote(s)
	return nil
}

func (deployStep) progress(p *pass, s *step) {
	if p.arrived(s) {
		p.succeed(s, reasonDone, nil)
	}
}

// writeUndo notes how to take the step back, before it does anything.
func (p *pass) writeUndo(s *step) error {
	names := components(p.spec, s.Step)
	if len(names) == 0 {
		return fmt.Errorf("it brings no component")
	}
	undo := &model.Undo{Phase: model.StepPending}
	for _, name := range names {
		if _, ok := p.spec.Component(name); !ok {
			return fmt.Errorf("there is no component %s", name)
		}
		undo.Targets = append(undo.Targets, p.base(name))
	}
	s.rec.Undo = undo
	return nil
}

// promote makes the version of the run the only one of the step's components.
func (p *pass) promote(s *step) {
	for _, name := range components(p.spec, s.Step) {
		c, _ := p.spec.Component(name)
		aim(&p.run, model.Target{Component: name, Stable: versionOf(p.spec, c)})
	}
}

// arrived says whether all components of the step are ready. It fails the step
// if one has failed for good.
func (p *pass) arrived(s *step) bool {
	all := true
	for _, name := range components(p.spec, s.Step) {
		t, ok := p.run.Target(name)
		if !ok {
			all = false
			continue
		}
		v, share := t.Stable, (*model.Share)(nil)
		if t.Next != nil && t.Next.Content != t.Stable.Content {
			v, share = *t.Next, &t.Share
		}
		ready, failure := p.fares(name, v, share)
		if failure != nil {
			p.fail(s, cmp.Or(failure.Reason, failure.Class, "failed"), fmt.Sprintf("component %s: %s", name, failure.Message))
			return false
		}
		all = all && ready
	}
	return all
}
