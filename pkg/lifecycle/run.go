package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Follow returns the ledger that follows from next, which Advance returned, when
// runs of workflows have gone on: runs are those that changed. What runs says what
// is to run of the components of their applications, and how a run ends decides
// about the phase, as the same table says.
func Follow(next model.Ledger, runs []model.Run, seen model.Observation, now time.Time) model.Ledger {
	if len(runs) == 0 {
		return next
	}
	next.Instances = slices.Clone(next.Instances)
	room := &room{pass: func() (amounts, map[model.AppID]amounts) { return measure(&next, &model.Ruling{}, &seen) }}
	for i := range runs {
		inst, ok := next.Find(runs[i].App)
		if !ok {
			continue
		}
		inst.Run = &runs[i]
		if !inst.Phase.Active() {
			continue
		}
		was := inst.Components
		inst.Components, inst.History, inst.Held = slices.Clone(inst.Components), slices.Clip(inst.History), slices.Clip(inst.Held)
		f := &facts{inst: inst, declared: true, decision: decided(&next, inst), seen: &seen, was: was, room: room, now: now}
		f.advance(next.Commit)
	}
	return next
}

// decided is the decision that holds for what an instance runs, nil if the last
// one is about something else.
func decided(ledger *model.Ledger, inst *model.Instance) *model.Decision {
	n, ok := slices.BinarySearchFunc(ledger.Decisions, inst.App, func(d model.Decision, id model.AppID) int { return d.App.Compare(id) })
	if !ok || ledger.Decisions[n].Spec != inst.SpecDigest() {
		return nil
	}
	return &ledger.Decisions[n]
}

// run is the run that says what runs of the accepted spec, or the one before it
// as long as that has not begun: nil without a workflow, and where something else
// has run since.
func (f *facts) run() *model.Run {
	run := f.inst.Run
	if f.inst.Spec == nil || f.inst.Spec.Workflow == nil || run == nil || run.Instance != f.inst.Number || run.Superseded != "" {
		return nil
	}
	return run
}

// underWay says whether a workflow is to bring the accepted spec and has not come
// to its end.
func (f *facts) underWay() bool {
	if f.inst.Spec == nil || f.inst.Spec.Workflow == nil {
		return false
	}
	run := f.run()
	return run == nil || !run.Phase.Ended() || !run.Settles(f.inst.Spec.Digest)
}

// takingBack says whether a run that failed takes back what it did: it finishes
// that before anything new is accepted.
func (f *facts) takingBack() bool { return takesBack(f.inst) }

func takesBack(inst *model.Instance) bool {
	return inst.Run != nil && inst.Run.Phase == model.RunRollingBack && inst.Run.Instance == inst.Number && inst.Phase.Active()
}

// keepTakingBack declares what is accepted of the applications that take something
// back, so that nobody counts on the room that a newer spec would leave.
func keepTakingBack(fleet model.Fleet, ledger model.Ledger) model.Fleet {
	own := false
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if inst.Run == nil || !takesBack(inst) || inst.Spec == nil {
			continue
		}
		n := slices.IndexFunc(fleet.Applications, func(a *model.Application) bool { return a.ID == inst.App })
		if n < 0 || fleet.Applications[n].Digest == inst.Spec.Digest || fleet.Applications[n].Desired != inst.Spec.Desired {
			continue
		}
		if !own {
			fleet.Applications, own = slices.Clone(fleet.Applications), true
		}
		fleet.Applications[n] = inst.Spec
	}
	return fleet
}

// ended says whether the run of the accepted spec ended so, and nothing went back
// to that spec.
func (f *facts) ended(phase model.RunPhase) bool {
	run := f.run()
	return run != nil && run.Phase == phase && run.Spec == f.inst.Spec.Digest && run.Superseded == "" && !run.WentBackTo(run.Spec)
}

// unfinished says whether the run of the accepted spec ended and did not bring it.
func (f *facts) unfinished() bool {
	return f.ended(model.RunFailed) || f.ended(model.RunStopped) || f.ended(model.RunRolledBack)
}

func (f *facts) tookBack() bool { return f.ended(model.RunRolledBack) && f.inst.Previous != nil }

// hopeless says whether the first workflow of an application has failed and left
// nothing that runs.
func (f *facts) hopeless() bool {
	if !f.ended(model.RunRolledBack) && !f.ended(model.RunFailed) || len(f.run().Base) > 0 {
		return false
	}
	return !slices.ContainsFunc(f.inst.Components, func(s model.ComponentState) bool {
		c, ok := f.inst.Spec.Component(s.Grant.Component)
		return s.Run > 0 && (!ok || c.Runs())
	})
}

func (f *facts) workflowFailed() bool {
	return f.ended(model.RunFailed) || f.ended(model.RunRolledBack)
}
func (f *facts) workflowStopped() bool { return f.ended(model.RunStopped) }

// runMessage tells what a run is behind.
func (f *facts) runMessage(r *Rule) string {
	if run := f.run(); run != nil && run.Message != "" {
		return r.If + ": " + run.Message
	}
	return r.If
}

// stay leaves what a run brought as it is. What it did not replace is of the spec
// before, which is kept.
func (f *facts) stay() { f.inst.Deadline = time.Time{} }

// advanceTargets lays what the run aims at on the components: of which version they
// are, and how many run beside it of the next one.
func (f *facts) advanceTargets(run *model.Run) {
	f.addAimed(run)
	for _, i := range startOrder(f.inst.Spec, f.inst.Components) {
		s := &f.inst.Components[i]
		before := *s
		f.advanceTarget(run, s)
		if s.State != before.State || s.Workload != before.Workload {
			s.Since = f.now
		}
	}
	switch {
	case f.inst.Phase != model.Scheduled || run.Spec != f.inst.Spec.Digest || run.Superseded != "":
	case !run.Phase.Ended():
		f.inst.Deadline = run.Deadline
	case run.Phase == model.RunSucceeded: // what it brought has to be ready, too
		f.inst.Deadline = run.Since.Add(f.inst.Spec.Policy.StartDeadline)
	}
}

// addAimed keeps the components that the accepted spec has no more as long as the
// run aims at them, and while nobody else needs the room: arbitration counts the
// accepted spec.
func (f *facts) addAimed(run *model.Run) {
	var more []model.ComponentState
	f.inst.Components = slices.DeleteFunc(f.inst.Components, func(s model.ComponentState) bool {
		_, own := f.inst.Spec.Component(s.Grant.Component)
		if t, aimed := run.Target(s.Grant.Component); !own && aimed {
			if c, _ := f.version(s.Grant.Component, t.Stable); c != nil {
				more = append(more, s)
			}
		}
		return !own
	})
	for i := range run.Targets {
		name := run.Targets[i].Component
		if _, own := f.inst.Spec.Component(name); own || slices.ContainsFunc(more, func(s model.ComponentState) bool { return s.Grant.Component == name }) {
			continue
		}
		n := slices.IndexFunc(f.inst.PreviousGrants, func(g model.Grant) bool { return g.Component == name })
		if c, _ := f.version(name, run.Targets[i].Stable); c != nil && n >= 0 {
			more = append(more, model.ComponentState{Grant: f.inst.PreviousGrants[n]})
		}
	}
	if more == nil {
		return
	}
	left := f.spare()
	for i := range more {
		if left.book(&more[i].Grant, more[i].Grant.Replicas) {
			f.inst.Components = append(f.inst.Components, more[i])
		}
	}
	f.room.take(f.inst)
}

// spare is what is free besides what the instance takes.
func (f *facts) spare() amounts {
	left := f.room.with(f.inst)
	for i := range f.inst.Components {
		s := &f.inst.Components[i]
		left[s.Grant.Pool] = left[s.Grant.Pool].Sub(s.Takes())
	}
	return left
}

// version returns a component in a version, nil if nobody knows its content any more.
func (f *facts) version(name string, v model.Version) (*model.Component, *model.Application) {
	for _, spec := range []*model.Application{f.inst.Spec, f.inst.Previous} {
		if spec == nil {
			continue
		}
		if c, ok := spec.Component(name); ok && c.Content(spec.ID) == v.Content {
			return c, spec
		}
	}
	return nil, nil
}

// rearm has jobs of steps take room again, which a newer spec was granted with.
func (f *facts) rearm() {
	for i := range f.inst.Components {
		if s := &f.inst.Components[i]; f.inst.Spec.Workflow != nil && f.inst.Spec.Workflow.Job(s.Grant.Component) {
			s.State = model.StateWaiting
		}
	}
}

func (f *facts) advanceTarget(run *model.Run, s *model.ComponentState) {
	name := s.Grant.Component
	own, declared := f.inst.Spec.Component(name)
	t, aimed := run.Target(name)
	beside := s.Beside
	s.Message, s.Hold, s.Beside = "", false, nil
	if declared && f.inst.Spec.Workflow.Job(name) {
		// It runs by intents of the run, each once, and takes room until the run has
		// ended. When that is restarted it takes none: others have it by then.
		s.Spec, s.Run, s.Workload = own.Content(f.inst.App), 0, model.WorkloadDigest(own, s.Grant, 0)
		if s.State != model.StateDone && f.underWay() {
			s.State, s.Message = model.StateWaiting, "for the step that runs it"
		} else {
			s.State = model.StateDone
		}
		return
	}
	var c *model.Component
	if aimed {
		c, _ = f.version(name, t.Stable)
	}
	lost := aimed && (c == nil || c.Redacted() && s.Workload != "" && s.Spec != t.Stable.Content)
	switch {
	case lost && s.Run > 0 && (s.Run <= s.Grant.Replicas || !declared):
		s.Hold, s.Beside = true, beside
		s.State, s.Message = model.StateWaiting, "keeps running as it was: its spec is not known any more"
		return
	case !aimed, lost: // what is lost and does not run, too, or has lost its room
		s.Spec, s.Run, s.Workload = own.Content(f.inst.App), 0, model.WorkloadDigest(own, s.Grant, 0)
		s.State, s.Message = model.StateWaiting, "for the step that brings it"
		if s.Grant.Replicas == 0 {
			s.State, s.Message = model.StateOff, ""
		}
		return
	}
	replicas := s.Grant.Replicas
	if t.Next != nil {
		if next, _ := f.version(name, *t.Next); next != nil {
			n := t.Share.Of(replicas)
			s.Beside = &model.Beside{Spec: next.Content(f.inst.App), Run: n, Workload: model.WorkloadDigest(next, s.Grant, n), Traffic: t.Traffic}
			if !t.Share.Extra {
				replicas -= n
			}
		}
	}
	f.advanceComponent(c, s, replicas)
}
