package workflow

import "github.com/d-aros/d-aros/pkg/model"

// Recall returns the jobs of the steps of an instance that are under way by its record. What they
// hold is not known.
func Recall(inst *model.Instance) (list []model.RecalledWorkload) {
	if inst.Run == nil || inst.Run.Phase.Ended() || inst.Spec == nil {
		return nil
	}
	for _, rec := range inst.Run.Steps {
		spec, declared := inst.Spec.Component(rec.Job)
		s, known := inst.Component(rec.Job)
		if rec.Phase != model.StepActive || !declared || !known {
			continue
		}
		list = append(list, model.RecalledWorkload{
			Workload: model.Workload{App: inst.App, Component: rec.Job, Intent: keyOf(inst.Run, &rec), Lock: model.AnyLock, Replicas: 1},
			Spec:     spec, Pool: s.Grant.Pool,
		})
	}
	return list
}
