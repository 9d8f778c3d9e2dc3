package component

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
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

// literal escapes a value of an environment variable. A cluster replaces $(NAME) by the
// value of another variable, and inputs can come from outside.
func literal(value string) string { return strings.ReplaceAll(value, "$", "$$") }
