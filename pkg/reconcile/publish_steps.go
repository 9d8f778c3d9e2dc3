package reconcile

import (
	"context"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// maxStepEvents bounds the Kubernetes Events about steps in one pass. The log and the
// status branch have all of them.
const maxStepEvents = 200

// publishSteps announces the transitions of runs and their steps: a line in the log each,
// and an event for each run that ended, each step that failed, and each wait for people.
func (l *Loop) publishSteps(ctx context.Context, steps []Step) {
	sent := 0
	for _, s := range steps {
		attributes := []any{"app", s.App, "run", s.Run, "from", s.From, "to", s.To}
		if s.Step != "" {
			attributes = append(attributes, "step", s.Step, "type", s.Type)
		}
		l.o.Log.Info("workflow", append(attributes, "reason", s.Reason, "message", s.Message)...)
		reason, text, warning := stepEvent(s)
		if reason == "" || sent >= maxStepEvents {
			continue
		}
		sent++
		l.event(ctx, s.App, warning, reason, text)
	}
}

// stepEvent returns the event of a change for people who look at the cluster; the reason
// is "" if there is none.
func stepEvent(s Step) (reason, text string, warning bool) {
	because := func(text string) string { return strings.TrimSuffix(text+": "+s.Message, ": ") }
	switch {
	case s.Step == "":
		switch model.RunPhase(s.To) {
		case model.RunSucceeded:
			return "WorkflowSucceeded", because("the workflow has succeeded"), false
		case model.RunSuperseded:
			return "WorkflowSuperseded", because("a newer run takes the place of the workflow's"), false
		case model.RunPaused:
			return "WorkflowPaused", because("the workflow is paused; go on with: reconciler resume " + s.App.String()), true
		case model.RunStopped:
			return "WorkflowStopped", because("the workflow was stopped"), true
		case model.RunRollingBack:
			return "WorkflowRollingBack", because("the workflow takes back what it did"), true
		case model.RunRolledBack:
			return "WorkflowRolledBack", because("the workflow has taken back what it did"), true
		case model.RunFailed:
			return "WorkflowFailed", because("the workflow has failed"), true
		}
	case model.StepPhase(s.To) == model.StepFailed:
		return "StepFailed", because("step " + s.Step + " has failed"), true
	case model.StepPhase(s.To) == model.StepActive && s.Type == "approval":
		return "ApprovalNeeded", "step " + s.Step + " waits for approval: reconciler approve " + s.App.String() + " " + s.Step, false
	}
	return "", "", false
}
