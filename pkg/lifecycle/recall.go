package lifecycle

import "github.com/d-aros/d-aros/pkg/model"

// Recall returns the workloads of an instance as its record has them, without jobs of steps. If a
// runtime shows just these, the instance stays as it is until something is due. Nothing of an
// instance that is ending is gone until a runtime shows that it is.
func Recall(inst *model.Instance) (list []model.RecalledWorkload) {
	switch {
	case inst.Spec == nil:
		return nil
	case inst.Ending():
		for i := range inst.Spec.Components {
			c := &inst.Spec.Components[i]
			s := model.Get(inst.Components, c.Name)
			w := model.Workload{App: inst.App, Component: c.Name, Digest: s.Workload, Replicas: 1}
			list = append(list, model.RecalledWorkload{Workload: w, Spec: c, Pool: s.Grant.Pool})
		}
		return list
	case inst.Shown == nil || !inst.Phase.Active():
		return nil
	}
	for _, e := range inst.Shown.Components {
		spec, declared := inst.Spec.Component(e.Component)
		s, known := inst.Component(e.Component)
		if !declared || !known {
			continue
		}
		w := model.Workload{App: inst.App, Component: e.Component, Beside: e.Beside, Replicas: e.Told, Ready: e.Ready, Rolling: e.Moves, Why: e.Why, Images: e.Images}
		if !e.Beside && (s.State == model.StateReady || s.State == model.StateUnready) { // else it may be of an earlier version
			w.Digest, w.Current = s.Workload, s.State == model.StateReady
		}
		list = append(list, model.RecalledWorkload{Workload: w, Spec: spec, Pool: s.Grant.Pool})
	}
	return list
}
