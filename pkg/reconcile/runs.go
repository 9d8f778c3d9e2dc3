package reconcile

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// carriedRuns are the runs of the ledger as they were carried forward last.
type carriedRuns struct {
	at      time.Time
	tallies workflow.Tallies // of their probes, as of the last save
}

// dispatch makes exactly the requests to the outside that are due now: the notices that
// the runs on the status branch declare, and the probes of their steps that are out.
func dispatch(to Outbound, saved *model.Ledger, tallies workflow.Tallies) {
	if to == nil {
		return
	}
	var tasks []outbound.Task
	for i := range saved.Instances {
		inst := &saved.Instances[i]
		for _, intent := range intents(inst, tallies) {
			if intent.Job == nil {
				tasks = append(tasks, outbound.Task{App: inst.App, Egress: egress(saved, inst.Spec), Intent: intent})
			}
		}
	}
	to.Do(tasks)
}

// egress is where steps of a spec may go: as far as it was allowed when the spec
// was read, and is today. A spec that is kept because today's does not hold gets no
// further than today's policy.
func egress(saved *model.Ledger, spec *model.Application) []string {
	hosts := spec.Policy.Egress
	if saved.Platform != nil {
		hosts = outbound.Within(hosts, saved.Platform.Policy.Egress)
	}
	if t, ok := model.Find(saved.Tenants, spec.ID.Tenant); ok {
		hosts = outbound.Within(hosts, t.Policy.Egress)
	}
	return hosts
}

// intents are what is to be done because of the run of an instance.
func intents(inst *model.Instance, tallies workflow.Tallies) []workflow.Intent {
	if !inst.Phase.Active() || inst.Run == nil || inst.Run.Phase.Ended() || inst.Release() != inst.Run.Spec {
		return nil
	}
	return workflow.Intents(inst.Run, inst.Spec, tallies)
}

// jobs are those that steps run now, and those of the latest run that have ended.
func jobs(inst *model.Instance) (jobs []runtime.Job) {
	for _, intent := range intents(inst, nil) {
		if j := intent.Job; j != nil {
			jobs = append(jobs, runtime.Job{Key: intent.Key, Component: j.Component, Spec: j.Spec, Inputs: j.Inputs, Lock: j.Lock})
		}
	}
	if inst.Run == nil || inst.Run.Instance != inst.Number {
		return jobs
	}
	for _, intent := range workflow.Finished(inst.Run) {
		jobs = append(jobs, runtime.Job{Key: intent.Key, Component: intent.Job.Component, Spec: intent.Job.Spec, Keep: true})
	}
	return jobs
}
