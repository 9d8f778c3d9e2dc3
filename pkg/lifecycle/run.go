package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// runOf returns the run that decides what runs of the accepted spec, or of the
// spec before while its own has not begun. It is nil without a workflow, and where
// something else has run since.
func runOf(inst *model.Instance) *model.Run {
	run := inst.Run
	if inst.Spec == nil || inst.Spec.Workflow == nil || run == nil || run.Instance != inst.Number || run.Superseded != "" {
		return nil
	}
	return run
}

// underWay reports whether a workflow is to roll out the accepted spec and has not
// ended.
func underWay(inst *model.Instance) bool {
	if inst.Spec == nil || inst.Spec.Workflow == nil {
		return false
	}
	run := runOf(inst)
	return run == nil || !run.Phase.Ended() || !run.Settles(inst.Spec.Release)
}

// takingBack reports whether a run that failed takes back what it did. It finishes
// that before a new spec is accepted.
func takingBack(inst *model.Instance) bool {
	return inst.Run != nil && inst.Run.Phase == model.RunRollingBack && inst.Run.Instance == inst.Number && inst.Phase.Active()
}

// keepTakingBack replaces the declared spec of applications that take something
// back by the accepted one, so that arbitration does not give away the room that a
// newer spec would leave.
func keepTakingBack(fleet model.Fleet, ledger model.Ledger) model.Fleet {
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if inst.Run == nil || !takingBack(inst) || inst.Spec == nil {
			continue
		}
		n := slices.IndexFunc(fleet.Applications, func(a *model.Application) bool { return a.ID == inst.App })
		if n < 0 || fleet.Applications[n].Release == inst.Spec.Release || fleet.Applications[n].Desired != inst.Spec.Desired {
			continue
		}
		fleet.Applications = slices.Clone(fleet.Applications)
		fleet.Applications[n] = inst.Spec
	}
	return fleet
}

// runEnded reports whether the run of the accepted spec ended in one of the phases,
// and nothing went back to that spec.
func runEnded(inst *model.Instance, phases ...model.RunPhase) bool {
	run := runOf(inst)
	return run != nil && slices.Contains(phases, run.Phase) && run.Spec == inst.Spec.Release && !run.WentBackTo(run.Spec)
}

// unfinished reports whether the run ended without rolling out the accepted spec.
func unfinished(inst *model.Instance) bool {
	return runEnded(inst, model.RunFailed, model.RunStopped, model.RunRolledBack)
}

func tookBack(inst *model.Instance) bool {
	return inst.Previous != nil && runEnded(inst, model.RunRolledBack)
}

// leftNothing reports whether the first workflow of an application failed and left
// nothing that runs.
func leftNothing(inst *model.Instance) bool {
	if !runEnded(inst, model.RunRolledBack, model.RunFailed) || len(runOf(inst).Base) > 0 {
		return false
	}
	return !slices.ContainsFunc(inst.Components, func(s model.ComponentState) bool {
		c, ok := inst.Spec.Component(s.Grant.Component)
		return s.Run > 0 && (!ok || c.Runs())
	})
}

// rearmJobs makes jobs of steps take room again. A newer spec is granted with that
// room.
func rearmJobs(inst *model.Instance) {
	for i := range inst.Components {
		if s := &inst.Components[i]; inst.Spec.Workflow != nil && inst.Spec.Workflow.Job(s.Grant.Component) {
			s.State, s.Ended = model.StateWaiting, false
		}
	}
}

// version returns a component in a version, nil if neither the accepted spec nor
// the spec before has it.
func version(inst *model.Instance, name string, v model.Version) *model.Component {
	for _, spec := range inst.Specs() {
		if c, ok := spec.Component(name); ok && c.Content(spec.ID) == v.Content {
			return c
		}
	}
	return nil
}
