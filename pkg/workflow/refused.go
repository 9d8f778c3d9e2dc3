package workflow

import "github.com/d-aros/d-aros/pkg/model"

// refusedFor is a final failure of a component with an object that the cluster refuses for
// good, nil if it has none. The version that the run wants never comes to be then.
func refusedFor(inst *model.Instance, component string) *model.Failure {
	for i := range inst.Outcomes {
		if o := &inst.Outcomes[i]; o.Component == component && o.Final() {
			return &model.Failure{Class: model.ClassControlPlane, Reason: string(o.Reason), Message: o.Message, Final: true}
		}
	}
	return nil
}

// refusedJobs are the results of active steps whose jobs the cluster refuses for good.
func refusedJobs(inst *model.Instance, run *model.Run) (results []Result) {
	for _, rec := range run.Steps {
		if rec.Phase != model.StepActive || rec.Job == "" || run.Phase.Ended() {
			continue
		}
		if f := refusedFor(inst, rec.Job); f != nil {
			results = append(results, Result{Key: keyOf(run, &rec), Class: f.Reason, Message: f.Message})
		}
	}
	return results
}
