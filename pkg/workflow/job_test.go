package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestJobSaysWhyItEnded: a job that fails, and one that runs out of time, tell the exit
// code and the last line as far as the runtime knows them.
func TestJobSaysWhyItEnded(t *testing.T) {
	job := declared{Jobs: []string{"migrate"}, Steps: []declaredStep{{Name: "migrate", Type: "job", Component: "migrate", Timeout: "1m"}}}
	crash := model.Failure{Class: model.ClassRuntime, Reason: model.ContainerCrash, ExitCode: 3, Message: "container migrate ends with exit code 3"}
	final := crash
	final.Reason, final.Final = "JobFailed", true
	for name, c := range map[string]struct {
		seen model.Workload
		want string
	}{
		"failed":                 {model.Workload{Failure: &final}, "JobFailed: container migrate ends with exit code 3"},
		"failed with a line":     {model.Workload{Failure: &final, Message: "begins\nno such table\n"}, "JobFailed: container migrate ends with exit code 3; last line: no such table"},
		"late":                   {model.Workload{}, "timeout: not done by 2026-01-01T12:01:00Z"},
		"late with an exit code": {model.Workload{Failure: &crash}, "timeout: not done by 2026-01-01T12:01:00Z; container migrate ends with exit code 3"},
		"late with both": {model.Workload{Failure: &crash, Message: "no such table"},
			"timeout: not done by 2026-01-01T12:01:00Z; container migrate ends with exit code 3; last line: no such table"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := job.application("shop", "v1")
			ledger := model.Ledger{Instances: []model.Instance{{App: spec.ID, Number: 1, Phase: model.PhaseScheduled, Spec: spec}}}
			seen := model.Observation{}
			for _, now := range []time.Time{start, start.Add(time.Minute)} {
				runs, _ := workflow.Carry(&ledger, &ledger, workflow.Reports{Seen: &seen}, workflow.Limits{}, now)
				require.Len(t, runs, 1)
				ledger.Instances = []model.Instance{{App: spec.ID, Number: 1, Phase: model.PhaseScheduled, Spec: spec, Run: &runs[0]}}
				w := c.seen
				w.App, w.Component, w.Intent = spec.ID, "migrate", string(runs[0].ID)+"/migrate/1"
				seen.Workloads = []model.Workload{w}
			}
			step := ledger.Instances[0].Run.Steps[0]
			require.Equal(t, model.StepFailed, step.Phase)
			require.Equal(t, c.want, step.Message)
		})
	}
}
