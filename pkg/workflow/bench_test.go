package workflow_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// thousand returns 1,000 runs of one tenant, of ten steps each.
func thousand() []workflow.Turn {
	d := declared{Components: map[string]int{"web": 3}, Jobs: []string{"job"}}
	for i := range 9 {
		s := declaredStep{Name: fmt.Sprintf("s%d", i), Type: "job", Component: "job", Lock: "schema"}
		if i > 0 {
			s.DependsOn = []string{fmt.Sprintf("s%d", i-1)}
			s.If = fmt.Sprintf("succeeded.s%d", i-1)
		}
		d.Steps = append(d.Steps, s)
	}
	d.Steps = append(d.Steps, declaredStep{Name: "web", Type: "canary", Properties: json.RawMessage(`{"stages":[{"weight":10}]}`)})
	turns := make([]workflow.Turn, 1000)
	for i := range turns {
		spec := d.application(fmt.Sprintf("app%d", i), "v1")
		turns[i] = workflow.Turn{Run: workflow.Start("", spec, 1, nil, start), Spec: spec}
	}
	return turns
}

// BenchmarkQuiet: a pass in which nothing happens to 1,000 runs that wait.
func BenchmarkQuiet(b *testing.B) {
	turns := thousand()
	runs, _ := workflow.Advance(turns, workflow.Limits{}, start)
	for i, run := range runs {
		turns[i].Run = run
	}
	b.ReportAllocs()
	for b.Loop() {
		workflow.Advance(turns, workflow.Limits{}, start.Add(time.Second))
	}
}

// BenchmarkBusy: a pass in which a job of each of 1,000 runs has ended, and the
// condition of the next step is asked.
func BenchmarkBusy(b *testing.B) {
	turns := thousand()
	for i := range turns {
		for s := range turns[i].Spec.Workflow.Steps {
			turns[i].Spec.Workflow.Steps[s].Lock = ""
		}
	}
	runs, _ := workflow.Advance(turns, workflow.Limits{}, start)
	for i, run := range runs {
		turns[i].Run = run
		for _, intent := range workflow.Intents(&run, turns[i].Spec, nil) {
			turns[i].Results = append(turns[i].Results, workflow.Result{Key: intent.Key, OK: true})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		next, _ := workflow.Advance(turns, workflow.Limits{}, start.Add(time.Second))
		require.Equal(b, model.StepActive, next[999].Steps[1].Phase)
	}
}
