package render

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// StepJob is the job of a workflow step.
type StepJob = component.StepJob

// stepJob renders the job of a step. If its spec is not known any more, a running Job
// stays as it is and no new one starts.
func (v versions) stepJob(j StepJob) ([]Object, error) {
	first := v[0]
	a := v.named(j.Spec)
	if j.Keep || a == nil {
		name := component.StepJobName(first.Instance.App, j.Component, j.Key)
		return []Object{kept(j.Component, "batch/v1", "Job", first.namespace, name)}, nil
	}
	c, ok := a.spec.Component(j.Component)
	if !ok || c.Type != "job" {
		return nil, declared.Faultf(declared.CodeReference, "type", "is run by a step of the workflow, but is no job")
	}
	if !carried(c) {
		return nil, nil
	}
	state := model.ComponentState{Grant: model.Grant{Component: c.Name}}
	if s, ok := a.Instance.Component(c.Name); ok {
		state.Grant = s.Grant.AsTold()
	}
	if state.Grant.Replicas == 0 {
		state.Grant = asDeclared(c, state.Grant)
		state.Grant.Replicas, state.Grant.Surge = max(1, c.Replicas), 0
	}
	state.Run = state.Grant.Replicas
	w := a.workload(c, state)
	w.Step = &j
	if err := w.render(); err != nil {
		return nil, err
	}
	return w.out.seal(), nil
}
