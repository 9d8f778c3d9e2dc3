package workflow_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestWaits: every step that keeps a run from going on says what it waits for,
// and what people can do about it.
func TestWaits(t *testing.T) {
	late := start.Add(time.Hour)
	step := func(kind, properties string) model.Step {
		return model.Step{Name: "it", Type: kind, Component: "migrate", Properties: json.RawMessage(properties)}
	}
	for name, c := range map[string]struct {
		step   model.Step
		rec    model.StepRun
		says   string
		action string
	}{
		"queued":    {step("job", ""), model.StepRun{Phase: model.StepQueued, Message: "lock database is held by acme/blog, step migrate"}, "its turn: lock database is held by acme/blog, step migrate", ""},
		"retrying":  {step("job", ""), model.StepRun{Phase: model.StepRetrying, Attempt: 2, Message: "exit code 1", Next: late}, "attempt 3, after: exit code 1", "resume"},
		"job":       {step("job", ""), model.StepRun{Phase: model.StepActive}, "the job migrate to end", ""},
		"deploy":    {step("deploy", ""), model.StepRun{Phase: model.StepActive}, "its components to be ready", ""},
		"approval":  {step("approval", `{"roles":["tenant-admin","platform-admin"]}`), model.StepRun{Phase: model.StepActive}, "an approval of a tenant-admin or platform-admin", "approve"},
		"approvals": {step("approval", `{"count":3}`), model.StepRun{Phase: model.StepActive, Actors: []string{"ann"}}, "2 approvals", "approve"},
		"last":      {step("approval", `{"count":2}`), model.StepRun{Phase: model.StepActive, Actors: []string{"ann"}}, "one more approval", "approve"},
		"wait":      {step("wait", `{"for":"1h"}`), model.StepRun{Phase: model.StepActive, Until: late}, "its time to pass", "resume"},
		"check":     {step("check", `{"url":"https://x.example","times":5}`), model.StepRun{Phase: model.StepActive}, "5 good answers", ""},
		"notify":    {step("notify", `{"url":"https://x.example"}`), model.StepRun{Phase: model.StepActive}, "the receiver to take the message", ""},
		"stage":     {step("canary", `{"stages":[{"weight":10},{"weight":50}],"check":{"url":"https://x.example","times":5}}`), model.StepRun{Phase: model.StepActive, Stage: 1}, "stage 2 of 2 to be ready and 5 good answers", ""},
		"manual":    {step("canary", `{"stages":[{"weight":10},{"weight":50,"manual":true}]}`), model.StepRun{Phase: model.StepActive, Stage: 1}, "somebody to resume it in stage 2 of 2", "resume"},
		"resumed":   {step("canary", `{"stages":[{"weight":10},{"weight":50,"manual":true}]}`), model.StepRun{Phase: model.StepActive, Stage: 1, Resumed: true}, "stage 2 of 2 to be ready", ""},
		"pause": {step("blue-green", `{"pause":"1h","check":{"url":"https://x.example"}}`), model.StepRun{Phase: model.StepActive, Until: start},
			"stage 1 of 2 to be ready and a good answer, not before 2026-01-01T12:00:00Z", "resume"},
		"promoted": {step("blue-green", `{"pause":"1h"}`), model.StepRun{Phase: model.StepActive, Stage: 2}, "the new version to be ready alone", ""},
	} {
		t.Run(name, func(t *testing.T) {
			spec := model.Application{Workflow: &model.Workflow{Steps: []model.Step{c.step}}}.Seal()
			c.rec.Name = "it"
			run := &model.Run{Spec: spec.Release, Phase: model.RunRunning, Steps: []model.StepRun{
				{Name: "done", Phase: model.StepSucceeded}, c.rec, {Name: "next", Phase: model.StepPending},
			}}
			waits := workflow.Waits(run, &spec)
			require.Len(t, waits, 1)
			require.Equal(t, []string{"it", c.says, c.action}, []string{waits[0].Step, waits[0].For, waits[0].Action})
			require.Equal(t, c.action == "approve" || name == "manual", waits[0].People)
			require.Len(t, workflow.Waits(run, nil), 1, "what waits shows also where its spec is not known any more")

			run.Phase = model.RunPaused
			require.Equal(t, "resume", workflow.Waits(run, &spec)[0].Action)
			run.Phase = model.RunSucceeded
			require.Empty(t, workflow.Waits(run, &spec))
		})
	}
	require.Empty(t, workflow.Waits(nil, nil))
}
