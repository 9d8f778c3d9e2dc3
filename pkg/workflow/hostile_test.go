package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
	"github.com/d-aros/d-aros/test/texttest"
)

// TestMessagesOfStepsAreLines: what a job, a check or a receiver answers is anybody's text, and the message of the step
// stands in logs, events and on the status branch.
func TestMessagesOfStepsAreLines(t *testing.T) {
	d := declared{Jobs: []string{"job"}, Steps: []declaredStep{{Name: "job", Type: "job", Component: "job", OnFailure: "continue",
		Outputs: []model.Output{{Name: "a", From: "message"}}}}}
	for _, message := range texttest.Corpus() {
		spec := d.application("shop", "v1")
		turn := workflow.Turn{Run: workflow.Start("", spec, 1, nil, start), Spec: spec}
		advance(&turn, start)
		for _, i := range workflow.Intents(&turn.Run, spec, nil) {
			turn.Results = append(turn.Results, workflow.Result{Key: i.Key, Class: "JobFailed", Message: message})
		}
		require.NotEmpty(t, turn.Results)
		advance(&turn, start.Add(time.Second))
		for _, s := range turn.Run.Steps {
			texttest.Line(t, s.Message, 512)
		}
		texttest.Line(t, turn.Run.Message, 600)
	}
}
