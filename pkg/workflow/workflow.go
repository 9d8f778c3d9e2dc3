package workflow

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Durations where the declaration gives none. Every wait has an end.
const (
	runTimeout      = 7 * 24 * time.Hour
	approvalTimeout = 3 * 24 * time.Hour
	stepTimeout     = time.Hour
	endTime         = time.Hour // for the rollback and the last steps, once a run fails
)

// Turn is a run and what is known for its next step forward.
type Turn struct {
	Run  model.Run
	Spec *model.Application // the run's, whole

	// Wanted is the spec that is accepted by now, "" if it is the run's. Another
	// spec supersedes the run: the run starts nothing any more and ends, unless it
	// is rolling back, which it finishes first.
	Wanted model.Digest

	// Still means that nothing may be decided about the application now: its run stays
	// as it is, with the locks and the places that its steps have.
	Still bool

	// Gone means that the application, or this instance of it, is not to run any
	// more: whatever the run does, it stops.
	Gone bool

	Commands []model.Command // in the order of their commits; those handled before may be among them
	Results  []Result        // of intents; results of earlier intents may be among them
	Seen     []Seen          // how the components are doing
	Tallies  Tallies         // of its attempts; those of others may be among them
}

// Limits bound what the runs of a tenant do at a time.
type Limits struct {
	Steps int // that act, 0: no limit

	// Jobs are the jobs of steps that are observed to run, also those that no step
	// waits for any more. While such a job runs, its lock does not pass on: the job
	// may be doing what the lock protects.
	Jobs []RunningJob
}

// RunningJob is a job of a step that is observed to run.
type RunningJob struct {
	Key  string // of its intent
	Lock string // that its step held, see model.Workload
}

// Advance returns the runs that follow from the runs of one tenant, in their order, and
// the tallies to hand over with them. All runs that have not ended have to be among them,
// as locks and limits hold across them; the order among them does not matter. A run that
// nothing happened to comes back equal, also if answers to probes were counted.
func Advance(turns []Turn, limits Limits, now time.Time) ([]model.Run, Tallies) {
	executions := make([]*execution, len(turns))
	for i := range turns {
		executions[i] = newExecution(&turns[i], now)
		if !turns[i].Still {
			executions[i].settle()
		}
	}
	for again := true; again; {
		again = admit(executions, limits)
		for _, x := range executions {
			again = x.proceed() || again
		}
	}
	next, tallies := make([]model.Run, len(executions)), Tallies{}
	for i, x := range executions {
		next[i] = x.run
		x.handOn(tallies)
	}
	return next, tallies
}

// execution is one run on its way through Advance.
type execution struct {
	run     model.Run
	spec    *model.Application // nil if it is not known any more
	turn    *Turn
	steps   steps
	tallies Tallies // that changed in this turn
	now     time.Time
}

func newExecution(turn *Turn, now time.Time) *execution {
	x := &execution{run: clone(turn.Run), spec: turn.Spec, turn: turn, now: now}
	if x.spec == nil || x.spec.Release != x.run.Spec || len(flow(x.spec).Steps) != len(x.run.Steps) {
		x.spec = nil
		return x
	}
	for i := range x.run.Steps {
		decl := &x.spec.Workflow.Steps[i]
		x.steps = append(x.steps, &step{x, decl, &x.run.Steps[i], kindOf(decl)})
	}
	return x
}

// settle takes in what happened since the last pass.
func (x *execution) settle() {
	if x.spec == nil {
		x.stop(fmt.Sprintf("spec %s is not known any more; commit a change to start again", x.run.Spec.Short()))
	} else if x.turn.Gone {
		x.stop("the application is not to run any more")
	}
	if x.spec == nil || x.turn.Gone {
		x.handle(x.turn.Commands)
		return
	}
	if w := x.turn.Wanted; w != "" && w != x.run.Spec {
		x.supersede(w)
	}
	x.handle(x.turn.Commands)
	if x.run.Phase.Ended() {
		return
	}
	if !x.now.Before(x.run.Deadline) {
		x.expire()
	}
	for _, s := range x.steps {
		s.progress()
	}
	if x.run.Phase == model.RunRollingBack {
		for _, s := range x.steps {
			s.progressUndo()
		}
	}
}

// proceed does what follows without new input, and reports whether there may be
// more to do.
func (x *execution) proceed() (changed bool) {
	if x.spec == nil || x.run.Phase.Ended() || x.turn.Still {
		return false
	}
	for _, s := range x.steps {
		changed = s.consider() || changed
	}
	return x.handleEarly() || x.end() || changed
}

// stop ends the run as it is, without taking anything back.
func (x *execution) stop(why string) {
	if x.run.Phase.Ended() {
		return
	}
	x.steps.cancel(reasonStopped)
	for i := range x.run.Steps {
		if rec := &x.run.Steps[i]; !rec.Phase.Ended() { // of a spec that is not known
			enter(rec, model.StepCancelled, reasonStopped, "", x.now)
		}
	}
	x.to(model.RunStopped, why)
}

// supersede ends the run in favour of another spec.
func (x *execution) supersede(by model.Digest) {
	switch {
	case x.run.Phase == model.RunRollingBack:
		return
	case x.run.Phase.Ended():
		if x.run.Superseded == "" && !x.run.WentBackTo(by) {
			x.run.Superseded = by
		}
		return
	}
	x.run.Superseded = by
	x.steps.cancel(reasonSuperseded)
	x.to(model.RunSuperseded, fmt.Sprintf("spec %s takes its place", by.Short()))
}

// to moves the run into a phase.
func (x *execution) to(phase model.RunPhase, message string) {
	x.run.Phase, x.run.Message, x.run.Since = phase, message, x.now
}

// open reports whether steps may become ready: while a run is taken back, none may.
func (x *execution) open() bool { return x.run.Phase != model.RunRollingBack || x.steps.undone() }

// enter moves a step into a phase.
func enter(rec *model.StepRun, phase model.StepPhase, reason model.Reason, message string, now time.Time) {
	if rec.Phase != phase {
		rec.Since = now
	}
	rec.Phase, rec.Reason, rec.Message = phase, reason, text.Line(message, maxMessage)
}

// clone copies a run so deep that nothing of the original changes with it.
func clone(run model.Run) model.Run {
	run.Steps = slices.Clone(run.Steps)
	for i := range run.Steps {
		s := &run.Steps[i]
		s.Actors = slices.Clip(s.Actors)
		if s.Undo != nil {
			s.Undo = new(*s.Undo)
		}
	}
	run.Targets = slices.Clone(run.Targets)
	run.Memos = slices.Clone(run.Memos)
	run.Commands = slices.Clip(run.Commands)
	return run
}
