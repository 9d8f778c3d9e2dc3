package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// keepTargets keeps removed components while the run targets them and no other
// application needs the room: arbitration counts the accepted spec only.
func keepTargets(inst *model.Instance, run *model.Run, room *room) {
	var more []model.ComponentState
	inst.Components = slices.DeleteFunc(inst.Components, func(s model.ComponentState) bool {
		_, own := inst.Spec.Component(s.Grant.Component)
		if t, ok := run.Target(s.Grant.Component); !own && ok && version(inst, s.Grant.Component, t.Stable) != nil {
			more = append(more, s)
		}
		return !own
	})
	for i := range run.Targets {
		name := run.Targets[i].Component
		_, own := inst.Spec.Component(name)
		_, kept := model.Find(more, name)
		g, had := model.Find(inst.PreviousGrants, name)
		if !own && !kept && had && version(inst, name, run.Targets[i].Stable) != nil {
			more = append(more, model.ComponentState{Grant: *g})
		}
	}
	if more == nil {
		return
	}
	left := room.besides(inst)
	for i := range more {
		if left.book(&more[i].Grant, more[i].Grant.Replicas) {
			inst.Components = append(inst.Components, more[i])
		}
	}
	room.take(inst)
}

// advanceTarget sets what the run targets on a component: its version, and how many
// replicas of the next version run beside it.
func (c components) advanceTarget(run *model.Run, s *model.ComponentState) {
	name := s.Grant.Component
	own, declared := c.inst.Spec.Component(name)
	beside := s.Beside
	s.Message, s.Hold, s.Beside = "", false, nil
	if declared && c.inst.Spec.Workflow.Job(name) {
		c.advanceJob(run, own, s)
		return
	}
	t, targeted := run.Target(name)
	var spec *model.Component
	if targeted {
		spec = version(c.inst, name, t.Stable)
	}
	lost := targeted && (spec == nil || spec.Redacted() && s.Workload != "" && s.Spec != t.Stable.Content)
	switch {
	case lost && s.Run > 0 && (s.Run <= s.Grant.Replicas || !declared):
		s.Hold, s.Beside = true, beside
		s.State, s.Message = model.StateWaiting, "keeps running as it was: its spec is not known any more"
		return
	case !targeted, lost: // also a lost version that does not run, or has lost its room
		s.Spec, s.Run, s.Workload = own.Content(c.inst.App), 0, model.WorkloadDigest(own, s.Grant, 0)
		s.State, s.Message = model.StateWaiting, "for the step that brings it"
		if s.Grant.Replicas == 0 {
			s.State, s.Message = model.StateOff, ""
		}
		return
	}
	replicas := s.Grant.Replicas
	if t.Next != nil {
		if next := version(c.inst, name, *t.Next); next != nil {
			n := t.Share.Of(replicas)
			s.Beside = &model.Beside{Spec: next.Content(c.inst.App), Run: n, Workload: model.WorkloadDigest(next, s.Grant, n), Traffic: t.Traffic}
			if !t.Share.Extra {
				replicas -= n
			}
		}
	}
	c.advanceOne(spec, s, replicas)
}

// advanceJob handles a component that a step of the workflow runs once. It takes
// room until the run has ended, and then has the state that the run tells. When a run
// is restarted after that, its jobs take none and stay as they are until it ends
// again: others have the room by then.
func (c components) advanceJob(run *model.Run, spec *model.Component, s *model.ComponentState) {
	s.Spec, s.Run, s.Workload = spec.Content(c.inst.App), 0, model.WorkloadDigest(spec, s.Grant, 0)
	switch {
	case !underWay(c.inst):
		s.State = cameTo(run, c.inst.Spec.Workflow, spec.Name)
		s.Ended = s.State == model.StateFailed
	case !s.Finished():
		s.State, s.Message = model.StateWaiting, "for the step that runs it"
	}
}

// cameTo returns what a job came to in a run that has ended. Of several steps that run
// it, one that failed counts. What a run went back to has the states of that run.
func cameTo(run *model.Run, flow *model.Workflow, component string) model.State {
	state := model.StateNotRun
	for _, rec := range run.Steps {
		decl, _ := model.Find(flow.Steps, rec.Name)
		phase, began := rec.Phase, rec.Job == component
		if undo := rec.Undo; undo != nil && undo.Component == component {
			phase, began = undo.Phase, undo.Attempt > 0
		} else if !began && (decl == nil || decl.Component != component) {
			continue
		}
		switch {
		case phase == model.StepSucceeded: // also if it need not be done
			state = model.StateDone
		case began:
			return model.StateFailed
		}
	}
	return state
}

// setRunDeadline makes a run that rolls out the accepted spec set its deadline.
func setRunDeadline(inst *model.Instance, run *model.Run) {
	switch {
	case inst.Phase != model.PhaseScheduled || run.Spec != inst.Spec.Release:
	case !run.Phase.Ended():
		inst.Deadline = run.Deadline
	case run.Phase == model.RunSucceeded: // what it rolled out has to become ready, too
		inst.Deadline = run.Since.Add(inst.Spec.Policy.StartDeadline)
	}
}
