package render

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// StepJob is the job of a workflow step. Its name depends on the key only, so one key is
// one Job, however often it is applied.
type StepJob struct {
	Key       string        // of the step and its attempt
	Component string        // of type job
	Spec      model.Digest  // the release of the application that has the component
	Inputs    []model.Value // environment variables DAROS_INPUT_<NAME>
	Lock      string        // that the step holds, "": none
	Keep      bool          // it has ended, and stays as it is so that people can read its logs
}

// StepJobName is the name of the Job of a step.
func StepJobName(app model.AppID, component, key string) string {
	return ObjectName(app, component) + "-" + model.DigestOf(key).Short()
}

// stepJob renders the job of a step. If its spec is not known any more, a running Job
// stays as it is and no new one starts.
func (v versions) stepJob(j StepJob) ([]Object, error) {
	first := v[0]
	a := v.named(j.Spec)
	if j.Keep || a == nil {
		name := StepJobName(first.Instance.App, j.Component, j.Key)
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
	w.step = &j
	if err := w.render(); err != nil {
		return nil, err
	}
	return w.out.seal(), nil
}

// variable returns the name of the environment variable of an input.
func variable(input string) string {
	return "DAROS_INPUT_" + strings.ToUpper(strings.ReplaceAll(input, "-", "_"))
}

// literal escapes a value of an environment variable. A cluster replaces $(NAME) by the
// value of another variable, and inputs can come from outside.
func literal(value string) string { return strings.ReplaceAll(value, "$", "$$") }
