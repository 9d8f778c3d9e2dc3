package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/texttest"
)

func TestRunGraph(t *testing.T) {
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
	require.Equal(t, `flowchart LR
    s0["build<br/>job<br/>succeeded, attempt 2"]:::succeeded
    s1["migrate<br/>job<br/>succeeded, taken back"]:::succeeded
    s2["release<br/>canary<br/>active, stage 2"]:::active
    s3["x_____active_ click s0 _javascript_alert_1__<br/>notify_br__<br/>pending"]:::pending
    s0 --> s1
    s1 --> s2
    s2 --> s3
    classDef active fill:#dbeafe,stroke:#1d4ed8
    classDef retrying fill:#fef3c7,stroke:#b45309
    classDef succeeded fill:#dcfce7,stroke:#15803d
    classDef failed fill:#fee2e2,stroke:#b91c1c
    classDef skipped fill:#f3f4f6,stroke:#9ca3af,stroke-dasharray:4
    classDef cancelled fill:#f3f4f6,stroke:#4b5563
`, runGraph(&run, &flow))
}

// TestRunGraphOfTheCorpus: whatever stands in the names and types of steps, a chart holds
// no character that means something to Mermaid.
func TestRunGraphOfTheCorpus(t *testing.T) {
	for _, hostile := range texttest.Corpus() {
		flow := model.Workflow{Steps: []model.Step{{Name: hostile, Type: hostile}, {Name: "b", DependsOn: []string{hostile}}}}
		run := model.Run{Steps: []model.StepRun{{Name: hostile, Phase: model.StepPhase(hostile)}}}
		require.Regexp(t, `^[-a-zA-Z0-9_.,:;#<>/"\[\]() \n]*$`, runGraph(&run, &flow), "%q", hostile)
	}
}
