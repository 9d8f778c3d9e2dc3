package sim

import (
	"slices"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// startIsInOrder: nothing is started, and nothing gets more replicas, while the
// ledger does not call ready what it depends on.
func (w *World) startIsInOrder(was, now *model.Instance) {
	if !now.Phase.Active() || now.Spec.Workflow != nil {
		return
	}
	for i := range now.Components {
		s := &now.Components[i]
		ran := 0
		if before, ok := was.Component(s.Grant.Component); ok && was.Number == now.Number {
			ran = before.Run
		}
		if s.Run <= ran {
			continue
		}
		c, _ := now.Spec.Component(s.Grant.Component)
		for _, name := range c.DependsOn {
			switch dep, _ := now.Component(name); {
			case !dep.Hold && (dep.State == model.StateReady || dep.Finished() || dep.State == model.StateOff):
			default:
				w.violate("start is in order", "%s#%d runs %d of %s, %d before, and %s, which it depends on, is %s", now.App, now.Number, s.Run, c.Name, ran, name, dep.State)
			}
		}
	}
}

// end is how an instance ends.
type end struct {
	instance int
	by       time.Time // when the rest of it may be stopped in any order
}

// noteEnd remembers until when an instance is to end in order. Where a clock is
// wrong that cannot be said.
func (w *World) noteEnd(p *process, was, now *model.Instance) {
	switch going := was.Ending() && was.Number == now.Number; {
	case !now.Ending() && !going:
	case p.skew != 0:
		w.ends[now.App] = end{}
	case !going:
		w.ends[now.App] = end{now.Number, w.now.Add(now.EndBy.Sub(now.Since))}
	}
}

// endIsInOrder: what runs is not stopped while something runs that depends on it,
// before the time for that is over.
func (w *World) endIsInOrder(p *process, o *object) {
	inst, ok := w.origin.says(p.acts).Find(o.part.app)
	if !ok || inst.Phase != model.PhaseTerminated || inst.Spec == nil || o.told.instance != strconv.Itoa(inst.Number) {
		return
	}
	for _, q := range w.processes {
		if q.skew != 0 || q.carrier != nil && !q.carrier.stalled.IsZero() {
			w.ends[o.part.app] = end{}
		}
	}
	if s, ok := inst.Component(o.part.component); ok && replacedJob(o, s.Workload) {
		return
	}
	known := w.ends[o.part.app]
	if known.instance != inst.Number || !w.now.Before(known.by) {
		return
	}
	for i := range inst.Spec.Components {
		c := &inst.Spec.Components[i]
		if !slices.Contains(c.DependsOn, o.part.component) {
			continue
		}
		for _, other := range w.cluster.objects {
			if other.part == (part{o.part.app, c.Name}) && other.told.scales && other.told.instance == o.told.instance {
				w.violate("the end is in order", "%s deletes %s of %s, and %s, which depends on it, is still there", p.name, o.ref, o.part.app, other.ref)
			}
		}
	}
}
