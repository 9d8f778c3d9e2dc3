package workflow

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Times where the declaration gives none. Every wait has an end.
const (
	runTimeout      = 7 * 24 * time.Hour
	approvalTimeout = 3 * 24 * time.Hour
	stepTimeout     = time.Hour
	endTime         = time.Hour // for taking back and for the last steps, once a run fails
)

// Turn is a run and what is known for its next step forward.
type Turn struct {
	Run  model.Run
	Spec *model.Application // the run's, whole

	// Wanted is the spec that is accepted by now, "" if it is the run's. Another
	// one supersedes the run: it starts nothing any more and ends, unless it is
	// taking back what it did, which it finishes first.
	Wanted model.Digest

	// Gone says that the application, or this instance of it, is not to run any
	// more: whatever the run does, it stops.
	Gone bool

	Commands []model.Command // in the order of their commits; those handled before may be among them
	Results  []Result        // of intents; those of earlier ones may be among them
	Seen     []Seen          // how components fare
}

// Limits bound what the runs of a tenant do at a time.
type Limits struct {
	Steps int // that act, 0: no limit

	// Jobs are the keys of the intents whose jobs are seen to run, also of those
	// that nobody waits for any more. As long as such a one runs no lock passes on:
	// it may be what the lock is to keep others from.
	Jobs []string
}

// Advance returns the runs that follow from those of one tenant, in their order.
// All runs that have not ended have to be among them, as locks and limits hold
// across them; the order among them does not matter. A run that nothing happened
// to comes back equal.
func Advance(turns []Turn, limits Limits, now time.Time) []model.Run {
	passes := make([]*pass, len(turns))
	for i := range turns {
		passes[i] = newPass(&turns[i], now)
		passes[i].settle()
	}
	for again := true; again; {
		again = admit(passes, limits)
		for _, p := range passes {
			again = p.proceed() || again
		}
	}
	next := make([]model.Run, len(passes))
	for i, p := range passes {
		next[i] = p.run
	}
	return next
}

// pass is one run on its way through Advance.
type pass struct {
	run     model.Run
	spec    *model.Application
	turn    *Turn
	steps   []step
	results map[string]*Result
	now     time.Time
}

// step is a step as declared, what has become of it and what its type does.
type step struct {
	*model.Step
	rec  *model.StepRun
	kind kind
}

func newPass(turn *Turn, now time.Time) *pass {
	p := &pass{run: clone(turn.Run), spec: turn.Spec, turn: turn, now: now, results: map[string]*Result{}}
	for i := range turn.Results {
		p.results[turn.Results[i].Key] = &turn.Results[i]
	}
	if p.spec == nil || p.spec.Digest != p.run.Spec || len(flow(p.spec).Steps) != len(p.run.Steps) {
		p.spec = nil
		return p
	}
	for i := range p.run.Steps {
		decl := &p.spec.Workflow.Steps[i]
		p.steps = append(p.steps, step{decl, &p.run.Steps[i], kindOf(decl.Type)})
	}
	return p
}

// settle takes in what happened since the last pass.
func (p *pass) settle() {
	if p.spec == nil {
		p.stop(fmt.Sprintf("spec %s is not known any more; commit a change to start again", p.run.Spec.Short()))
	} else if p.turn.Gone {
		p.stop("the application is not to run any more")
	}
	if p.spec == nil || p.turn.Gone {
		p.handle(p.turn.Commands)
		return
	}
	if w := p.turn.Wanted; w != "" && w != p.run.Spec {
		p.supersede(w)
	}
	p.handle(p.turn.Commands)
	if p.run.Phase.Ended() {
		return
	}
	if !p.now.Before(p.run.Deadline) {
		p.expire()
	}
	for i := range p.steps {
		p.progress(&p.steps[i])
	}
	p.progressUndo()
}

// proceed does what follows without anything new from outside, and says whether
// there may be more.
func (p *pass) proceed() (changed bool) {
	if p.spec == nil || p.run.Phase.Ended() {
		return false
	}
	for i := range p.steps {
		changed = p.consider(&p.steps[i]) || changed
	}
	return p.handleEarly() || p.end() || changed
}

// stop ends the run as it is, without taking anything back.
func (p *pass) stop(why string) {
	if p.run.Phase.Ended() {
		return
	}
	p.cancelAll(reasonStopped)
	for i := range p.run.Steps {
		if rec := &p.run.Steps[i]; !rec.Phase.Ended() { // of a spec that is not known
			p.enter(rec, model.StepCancelled, reasonStopped, "")
		}
	}
	p.to(model.RunStopped, why)
}

// supersede ends the run in favour of another spec.
func (p *pass) supersede(by model.Digest) {
	switch {
	case p.run.Phase == model.RunRollingBack:
		return
	case p.run.Phase.Ended():
		if p.run.Superseded == "" && !p.run.WentBackTo(by) {
			p.run.Superseded = by
		}
		return
	}
	p.run.Superseded = by
	p.cancelAll(reasonSuperseded)
	p.to(model.RunSuperseded, fmt.Sprintf("spec %s takes its place", by.Short()))
}

// to moves the run into a phase.
func (p *pass) to(phase model.RunPhase, message string) {
	p.run.Phase, p.run.Message, p.run.Since = phase, message, p.now
}

// enter moves a step into a phase.
func (p *pass) enter(rec *model.StepRun, phase model.StepPhase, reason model.Reason, message string) {
	if rec.Phase != phase {
		rec.Since = p.now
	}
	rec.Phase, rec.Reason, rec.Message = phase, reason, bounded(message, maxMessage)
}

// clone copies a run so deep that nothing of the original changes with it.
func clone(run model.Run) model.Run {
	run.Steps = slices.Clone(run.Steps)
	for i := range run.Steps {
		s := &run.Steps[i]
		s.Actors = slices.Clip(s.Actors)
		if s.Undo != nil {
			undo := *s.Undo
			s.Undo = &undo
		}
	}
	run.Targets = slices.Clone(run.Targets)
	run.Memos = slices.Clone(run.Memos)
	run.Commands = slices.Clip(run.Commands)
	return run
}
