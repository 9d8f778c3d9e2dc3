package world

import (
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Changes are the applications that a ruling moved, each list by identity.
type Changes struct {
	Admitted []model.AppID // ran not, run now
	Evicted  []model.AppID // ran, run no more
	Reduced  []model.AppID // run with less
	Raised   []model.AppID // run with more
}

// None reports whether everything stayed as it was.
func (c Changes) None() bool {
	return len(c.Admitted)+len(c.Evicted)+len(c.Reduced)+len(c.Raised) == 0
}

// Apply lets a ruling come true.
func (w *World) Apply(ruling model.Ruling) (c Changes) {
	w.welcome(ruling.Decisions)
	for i := range ruling.Decisions {
		d := &ruling.Decisions[i]
		if inst, ok := w.Ledger.Find(d.App); ok {
			was := *inst
			if w.apply(inst, d, &c); !reflect.DeepEqual(was, *inst) {
				inst.Revision = model.Revision{}
			}
		}
	}
	w.Ledger.Decisions = slices.Clone(ruling.Decisions)
	return c
}

// welcome gives each application that has none an instance, as the lifecycle does in the pass in which it appears.
func (w *World) welcome(decisions []model.Decision) {
	var fresh []model.Instance
	for i := range decisions {
		if _, ok := w.Ledger.Find(decisions[i].App); !ok {
			fresh = append(fresh, created(decisions[i].App, w.Now))
		}
	}
	w.add(fresh)
}

func (w *World) apply(inst *model.Instance, d *model.Decision, c *Changes) {
	ran := inst.Phase.Active()
	switch d.Verdict {
	case model.VerdictGranted:
		phase := model.PhaseRunning
		if d.Degraded {
			phase = model.PhaseDegraded
		}
		switch {
		case !ran:
			c.Admitted = append(c.Admitted, d.App)
			if inst.Phase == model.PhaseTerminated {
				inst.Number++
			}
		case less(d, inst):
			c.Reduced = append(c.Reduced, d.App)
			inst.Lowered = w.Now
		case moved(d.Grants, inst.Components):
			c.Raised = append(c.Raised, d.App)
			inst.Raised = w.Now
		}
		w.enter(inst, phase, d)
		w.grant(inst, d)
	case model.VerdictEvicted:
		if ran {
			c.Evicted = append(c.Evicted, d.App)
		}
		w.enter(inst, model.PhaseTerminated, d)
		inst.Reason, inst.Spec, inst.Components = model.ReasonEvicted, nil, nil
	case model.VerdictWaiting:
		w.enter(inst, model.PhaseAdmitted, d)
	case model.VerdictRejected:
		w.enter(inst, model.PhaseRejected, d)
	}
}

// enter writes the phase down. Since is when it was entered.
func (w *World) enter(inst *model.Instance, phase model.Phase, d *model.Decision) {
	if inst.Phase != phase {
		inst.Phase, inst.Since = phase, w.Now
	}
	inst.Reason, inst.Message = d.Reason, d.Message
}

// begin begins the run of a workflow: what ran until now is what it goes beside.
func begin(inst *model.Instance, spec *model.Application) {
	inst.Run = nil
	if spec.Workflow == nil {
		return
	}
	inst.Run = &model.Run{App: inst.App, Spec: spec.Release, Phase: model.RunRunning}
	if inst.Spec == nil {
		return
	}
	for i := range inst.Spec.Components {
		c := &inst.Spec.Components[i]
		inst.Run.Base = append(inst.Run.Base, model.Target{Component: c.Name, Stable: model.Version{Spec: inst.Spec.Release, Content: c.Content(inst.App)}})
	}
	inst.Run.Targets = inst.Run.Base
}

// EndRun ends the run of an application's workflow well.
func (w *World) EndRun(id model.AppID) {
	inst, ok := w.Ledger.Find(id)
	if !ok || inst.Run == nil || inst.Spec == nil {
		return
	}
	run := *inst.Run
	run.Phase, run.Targets = model.RunSucceeded, nil
	for i := range inst.Spec.Components {
		c := &inst.Spec.Components[i]
		run.Targets = append(run.Targets, model.Target{Component: c.Name, Stable: model.Version{Spec: inst.Spec.Release, Content: c.Content(inst.App)}})
	}
	inst.Run = &run
}

// End ends an application that runs and ends by itself: it takes nothing any more.
func (w *World) End(id model.AppID) {
	inst, ok := w.Ledger.Find(id)
	if !ok || inst.Spec == nil {
		return
	}
	inst.Components, inst.Revision = slices.Clone(inst.Components), model.Revision{}
	for i := range inst.Components {
		state := &inst.Components[i]
		if c, ok := inst.Spec.Component(state.Grant.Component); ok && c.Finite() {
			inst.NoteRuntime(c, w.Now.Sub(state.Since))
			state.State, state.Spec, state.Since = model.StateDone, c.Content(id), w.Now
		}
	}
}

// grant lets every component run at its grant.
func (w *World) grant(inst *model.Instance, d *model.Decision) {
	if inst.SpecDigest() != d.Spec {
		spec := *w.App(d.App)
		begin(inst, &spec)
		inst.Spec = &spec
	}
	before := inst.Components
	inst.Components = make([]model.ComponentState, len(d.Grants))
	for i, g := range d.Grants {
		s := model.ComponentState{Grant: g, Run: g.Replicas, State: model.StateReady, Since: w.Now}
		if j := slices.IndexFunc(before, func(s model.ComponentState) bool { return s.Grant.Component == g.Component }); j >= 0 {
			s.State, s.Spec, s.Since = before[j].State, before[j].Spec, before[j].Since
		}
		inst.Components[i] = s
	}
}

// less reports whether the grants are less than what was granted before: in amount,
// or in anything else that the decision calls degraded.
func less(d *model.Decision, inst *model.Instance) bool {
	return moved(d.Grants, inst.Components) &&
		(held(inst.Components).Sub(granted(d.Grants)).Exceeds(model.Resources{}) != nil || d.Degraded && inst.Phase == model.PhaseRunning)
}

// moved reports whether replicas, profile or pool of any component differ.
func moved(now []model.Grant, before []model.ComponentState) bool {
	return !slices.EqualFunc(now, before, func(g model.Grant, s model.ComponentState) bool {
		return g.Component == s.Grant.Component && g.Replicas == s.Grant.Replicas && g.Surge == s.Grant.Surge && g.QoS == s.Grant.QoS && g.Pool == s.Grant.Pool
	})
}

func granted(grants []model.Grant) (sum model.Resources) {
	for _, g := range grants {
		sum = sum.Add(g.Requests.Times(g.Replicas + g.Surge))
	}
	return sum
}

func held(states []model.ComponentState) (sum model.Resources) {
	for i := range states {
		sum = sum.Add(states[i].Takes())
	}
	return sum
}

// Holds returns what an application takes of all pools.
func (w *World) Holds(id model.AppID) model.Resources {
	if inst, ok := w.Ledger.Find(id); ok && inst.Phase.Active() {
		return held(inst.Components)
	}
	return model.Resources{}
}

// Used returns what is taken of a pool.
func (w *World) Used(pool string) (sum model.Resources) {
	for i := range w.Ledger.Instances {
		if inst := &w.Ledger.Instances[i]; inst.Phase.Active() {
			for j := range inst.Components {
				if s := &inst.Components[j]; s.Grant.Pool == pool {
					sum = sum.Add(s.Takes())
				}
			}
		}
	}
	return sum
}
