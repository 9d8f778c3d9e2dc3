package workflow_test

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// FuzzResult: whatever a job, a check or a receiver answers, the run stays small,
// can be saved and read back, and its graph stays a graph.
func FuzzResult(f *testing.F) {
	f.Add(true, "", "", "1.4.2", 200, 0.5)
	f.Add(false, "JobFailed", "exit code 1", "", 1, 0.0)
	f.Add(true, "\xff", "\u202e\x00", "\xff\xfe", -1, 1e308)
	f.Fuzz(func(t *testing.T, ok bool, class, message, body string, status int, value float64) {
		d := declared{Jobs: []string{"job"}, Steps: []declaredStep{
			{Name: "job", Type: "job", Component: "job", OnFailure: "continue", Outputs: []model.Output{
				{Name: "a", From: "body"}, {Name: "b", From: "message"}, {Name: "c", From: "value"}, {Name: "d", From: "status"}}},
			{Name: "check", Type: "check", OnFailure: "continue", Outputs: []model.Output{{Name: "a", From: "body"}},
				Properties: json.RawMessage(`{"url":"https://x.example.com","success":"body.matches('^[a-z]*$') || value < 1.0 || status == 200"}`)},
			{Name: "last", Type: "job", Component: "job", DependsOn: []string{"job", "check"}, If: `always || outputs.job.a == "x"`,
				Inputs: []model.Input{{Name: "a", From: "job.a", Value: "none"}}},
		}}
		spec := d.application("shop", "v1")
		turn := workflow.Turn{Run: workflow.Start("", spec, 1, nil, start), Spec: spec}
		advance(&turn, start)
		for _, i := range workflow.Intents(&turn.Run, spec, turn.Tallies) {
			turn.Results = append(turn.Results, workflow.Result{Key: i.Key, OK: ok, Class: class, Message: message, Body: body, Status: status, Value: value})
		}
		advance(&turn, start.Add(time.Second))
		next := turn.Run
		size := 0
		for _, s := range next.Steps {
			require.True(t, utf8.ValidString(s.Message))
			require.LessOrEqual(t, len(s.Message), 1024)
			for _, o := range s.Outputs {
				require.True(t, utf8.ValidString(o.Value))
				size += len(o.Value)
			}
		}
		require.LessOrEqual(t, size, 64<<10)
		require.Equal(t, next, *saved(t, next))
	})
}

// FuzzProperties: whatever a step declares, the run goes on or fails.
func FuzzProperties(f *testing.F) {
	for _, seed := range []string{
		`{"for":"5m"}`, `{"roles":["owner"],"count":2}`, `{"stages":[{"weight":10,"pause":"1m"}],"check":{"url":"x"}}`,
		`{"pause":"1m","keep":"-1h"}`, `{"query":"up","success":"value > 0.5"}`, `[]`, `{"stages":[{"replicas":-1,"weight":1000000}]}`, `{"for":1}`,
	} {
		for _, kind := range []string{"wait", "approval", "check", "notify", "canary", "blue-green", "deploy", "sleep"} {
			f.Add(kind, seed, "always")
		}
	}
	f.Fuzz(func(t *testing.T, kind, properties, condition string) {
		if !json.Valid([]byte(properties)) {
			return
		}
		d := declared{Components: map[string]int{"web": 2}, Steps: []declaredStep{{Name: "s", Type: kind, If: condition, Properties: json.RawMessage(properties)}}}
		var last *model.Run
		for _, version := range []string{"v1", "v2"} {
			spec := d.application("shop", version)
			turn := workflow.Turn{Run: workflow.Start("", spec, 1, last, start), Spec: spec}
			now := start
			for range 50 {
				advance(&turn, now)
				for _, p := range workflow.Placements(&turn.Run, func(string) int { return 2 }) {
					require.GreaterOrEqual(t, p.Replicas, 0)
					require.LessOrEqual(t, p.Replicas, 2)
				}
				for _, i := range workflow.Intents(&turn.Run, spec, turn.Tallies) {
					turn.Results = append(turn.Results, workflow.Result{Key: i.Key, OK: true, Status: 200})
				}
				turn.Seen = []workflow.Seen{{Component: "web", Granted: 2, Versions: []workflow.SeenVersion{{
					Content: spec.Components[0].Content(spec.ID), Replicas: 2, Ready: 2}}}}
				if turn.Run.Phase.Ended() {
					break
				}
				now = workflow.Due(&turn.Run, now)
			}
			require.True(t, turn.Run.Phase.Ended(), "still %s", turn.Run.Phase)
			last = &turn.Run
		}
	})
}
