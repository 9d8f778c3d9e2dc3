package workflow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// restart has steps done again: the named one and all that depend on it, or all.
// What never got to its end, because the run did, is done then, too. Outputs of
// the other steps stay.
func (p *pass) restart(c model.Command) (refused string) {
	again, refused := p.again(c.Step)
	if refused != "" {
		return refused
	}
	for i := range p.steps {
		s := &p.steps[i]
		if !again[s.Name] {
			continue
		}
		p.forget(s)
		fresh := model.StepRun{Name: s.Name, Attempt: s.rec.Attempt, First: s.rec.Attempt + 1, Undo: s.rec.Undo}
		if fresh.Undo != nil && fresh.Undo.Phase != model.StepPending {
			fresh.Undo = nil
		}
		*s.rec = fresh
		p.enter(s.rec, model.StepPending, reasonForgotten, "")
	}
	p.run.Deadline = p.now.Add(cmp.Or(flow(p.spec).Timeout, runTimeout))
	if c.Step == "" {
		for _, name := range unnamed(p.spec) {
			known, _ := p.spec.Component(name)
			aim(&p.run, model.Target{Component: name, Stable: versionOf(p.spec, known)})
		}
	}
	p.to(model.RunRunning, "restarted by "+c.By)
	return ""
}

// again says which steps a restart from the named one is about, or why it cannot be.
func (p *pass) again(from string) (again map[string]bool, refused string) {
	switch {
	case from != "" && p.step(from) == nil:
		return nil, "the workflow has no step " + from
	case p.turn.Wanted != "" && p.turn.Wanted != p.run.Spec:
		return nil, fmt.Sprintf("the application went back to spec %s; commit a change to try again", p.turn.Wanted.Short())
	case p.run.Phase == model.RunFailing || p.run.Phase == model.RunRollingBack:
		return nil, fmt.Sprintf("the run is %s; wait until it has ended", p.run.Phase)
	}
	again = map[string]bool{}
	for i := range p.steps {
		s := &p.steps[i]
		cut := p.run.Phase.Ended() && (s.rec.Phase == model.StepCancelled || s.rec.Phase == model.StepSkipped && !endedWell(s))
		again[s.Name] = from == "" || s.Name == from || cut
	}
	for range p.steps { // as often as the longest chain
		for i := range p.steps {
			s := &p.steps[i]
			again[s.Name] = again[s.Name] || slices.ContainsFunc(s.DependsOn, func(name string) bool { return again[name] })
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		undone := s.rec.Undo != nil && s.rec.Undo.Phase != model.StepPending
		switch {
		case again[s.Name] && (s.rec.Phase == model.StepActive || s.rec.Phase == model.StepRetrying):
			return nil, fmt.Sprintf("step %s is under way; stop the run first", s.Name)
		case !again[s.Name] && undone:
			return nil, fmt.Sprintf("step %s was taken back and would have to be done again, too: restart the whole run", s.Name)
		}
	}
	return again, ""
}
