package turn

import (
	"cmp"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// instance makes the record of an application, or returns why what runs of it is not
// known.
func (r *relic) instance() (_ *model.Instance, why string) {
	if why := r.explain(); why != "" {
		return nil, why
	}
	spec, before := r.specs[0], (*model.Application)(nil)
	if len(r.specs) == 2 {
		before = r.specs[1]
	}
	inst := r.begin(model.PhaseRunning, model.ReasonRestored, "its record was lost, and made again from what runs")
	inst.Spec = spec
	var targets []model.Target
	add := func(c *model.Component) {
		s, t := r.component(c)
		inst.Components = append(inst.Components, s)
		if t.Stable != (model.Version{}) {
			targets = append(targets, t)
		}
	}
	for i := range spec.Components {
		add(&spec.Components[i])
	}
	if before != nil {
		r.goOn(inst, before, add)
	}
	if spec.Workflow != nil {
		inst.Run = r.run(spec, before, inst, targets)
		if inst.Run.Phase == model.RunPaused {
			inst.Phase, inst.Deadline = model.PhaseScheduled, inst.Run.Deadline
		}
	}
	inst.History[0].To = inst.Phase
	if w := r.wanted; w != nil && w.Release != spec.Release {
		// It was declared when the ledger was lost and did not run: refused, on hold or
		// waiting. Nothing is released because of the loss.
		inst.Held = []model.Digest{w.Release}
	}
	return inst, ""
}

// goOn makes the record that of an update which is on its way from another release.
func (r *relic) goOn(inst *model.Instance, before *model.Application, add func(*model.Component)) {
	inst.Previous, inst.Phase, inst.Deadline = before, model.PhaseScheduled, r.lost.Now.Add(inst.Spec.Policy.StartDeadline)
	for i := range before.Components {
		c := &before.Components[i]
		w := r.object(c.Name, false)
		if w == nil {
			continue
		}
		grant := w.Grant // all of them: a rollback needs the room of what has been updated, too
		if w.Before != nil {
			grant = *w.Before
		}
		inst.PreviousGrants = append(inst.PreviousGrants, grant)
		if _, stays := inst.Spec.Component(c.Name); !stays && inst.Spec.Workflow != nil {
			add(c) // until the run ends
		}
	}
}

// component makes the state of one component and what a run targets of it.
func (r *relic) component(c *model.Component) (s model.ComponentState, t model.Target) {
	s = model.ComponentState{Grant: model.Grant{Component: c.Name}, Spec: c.Content(r.app), State: model.StateOff, Since: r.lost.Now}
	t.Component = c.Name
	w := r.object(c.Name, false)
	if w == nil {
		switch {
		case c.Finite():
			s.Grant, s.State = r.granted(c), model.StateDone // its job is gone, and does not run again
		case c.Critical && len(r.specs) == 1:
			s.Grant, s.State, s.Hold = r.granted(c), model.StateWaiting, true // it is never off: somebody deleted its object, and the next pass decides
		}
		if c.Finite() || len(r.specs) == 1 {
			t.Stable = model.Version{Spec: r.specs[0].Release, Content: s.Spec}
		}
		return s, t
	}
	of, own := r.version(w)
	s.Grant, s.Run, s.Workload, s.Spec = w.Grant, w.Run, w.Workload, own.Content(r.app)
	t.Stable = model.Version{Spec: of.Release, Content: s.Spec}
	switch {
	case w.Finite && !w.Done && w.Run > 0:
		s.State = model.StateStarting
	case w.Finite:
		s.State = model.StateDone
	case w.Grant.Replicas == 0:
		s.State = model.StateOff
	case w.Run == 0:
		s.State = model.StateWaiting
	default:
		s.State = model.StateReady
	}
	if of != r.specs[0] && r.specs[0].Workflow == nil {
		s.State, s.Hold, s.Message = model.StateWaiting, true, "keeps running as it was"
	}
	if b := r.object(c.Name, true); b != nil {
		newer, next := r.version(b)
		s.Beside = &model.Beside{Spec: next.Content(r.app), Run: b.Run, Workload: b.Workload, Traffic: b.Traffic}
		t.Next = &model.Version{Spec: newer.Release, Content: s.Beside.Spec}
		t.Share, t.Traffic = model.Share{Replicas: b.Run, Extra: w.Run+b.Run > w.Grant.Replicas}, b.Traffic
	}
	return s, t
}

// granted is the grant of a component whose job has run: what it was, or else what it
// asks for, where the rest of the application runs.
func (r *relic) granted(c *model.Component) model.Grant {
	g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: c.Placement.Pool}
	for i := range r.objects {
		w := &r.objects[i]
		if w.Component == c.Name && w.Grant.Component == c.Name {
			return w.Grant
		}
		g.Pool = cmp.Or(g.Pool, w.Grant.Pool)
	}
	return g
}

// version returns the component that an object runs, and the release that has it.
func (r *relic) version(w *model.Remnant) (*model.Application, *model.Component) {
	for _, spec := range r.specs {
		if c := runs(spec, w); c != nil {
			return spec, c
		}
	}
	return nil, nil // explain has found it
}

// run makes the run of the release that is accepted.
func (r *relic) run(spec, before *model.Application, inst *model.Instance, targets []model.Target) *model.Run {
	targets = slices.DeleteFunc(targets, func(t model.Target) bool { return spec.Workflow.Job(t.Component) })
	slices.SortFunc(targets, func(a, b model.Target) int { return cmp.Compare(a.Component, b.Component) })
	var jobs []workflow.KeptJob
	for _, w := range r.objects {
		if parts := strings.Split(w.Intent, "/"); len(parts) == 3 { // that of an undo has more
			jobs = append(jobs, workflow.KeptJob{Step: parts[1], Component: w.Component, Key: w.Intent})
		}
	}
	run := workflow.Restored(r.lost.Identity.ID, spec, before, inst.Number, targets, jobs, r.lost.Now)
	return &run
}
