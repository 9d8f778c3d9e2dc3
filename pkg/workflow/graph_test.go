package workflow_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

func TestGraph(t *testing.T) {
	flow := model.Workflow{Steps: []model.Step{
		{Name: "build", Type: "job"},
		{Name: "migrate", Type: "job", DependsOn: []string{"build"}},
		{Name: "release", Type: "canary", DependsOn: []string{"migrate"}},
		{Name: `x"]:::active; click s0 "javascript:alert(1)"`, Type: "notify<br/>", DependsOn: []string{"release", "nowhere"}},
	}}
	run := model.Run{Steps: []model.StepRun{
		{Name: "build", Phase: model.StepSucceeded, Attempt: 3, First: 2},
		{Name: "migrate", Phase: model.StepSucceeded, Attempt: 1, First: 1, Undo: &model.Undo{Phase: model.StepSucceeded}},
		{Name: "release", Phase: model.StepActive, Attempt: 1, First: 1, Stage: 1},
	}}
	got := workflow.Graph(&run, &flow)
	const golden = "testdata/graph.mmd"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
