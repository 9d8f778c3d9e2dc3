package turn_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
	"github.com/d-aros/d-aros/test/inprocess"
)

// TestExampleOfWorkflows: the example of docs/workflow.md is a valid application, and its
// run begins as the page says.
func TestExampleOfWorkflows(t *testing.T) {
	text, err := os.ReadFile("../../docs/workflow.md")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(text), "```cue\n")
	example, _, _ = strings.Cut(example, "```")
	files := fstest.MapFS{}
	for name, data := range map[string]string{
		"fleet.cue": "package fleet\nimport \"d-aros.dev/schema\"\nschema.#Fleet\nplatform: {name: \"example\", pools: general: {os: [\"linux\"], runtimes: [\"container\"], capacity: {cpu: \"64\", memory: \"256Gi\"}}, allotments: acme: {},\n" +
			"policy: {egress: hosts: [\"*.example.com\"], images: registries: [\"ghcr.io\"]}}\n",
		"tenants/acme/tenant.cue":        "package fleet\ntenant: {name: \"acme\", quota: {cpu: \"64\", memory: \"256Gi\"}}\n",
		"tenants/acme/apps/shop/app.cue": example,
	} {
		files[name] = &fstest.MapFile{Data: []byte(data)}
	}
	fleet := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c0ffee", tree{files}, nil)
	require.Empty(t, fleet.Problems)
	require.Len(t, fleet.Applications, 1)

	spec := fleet.Applications[0]
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	turn := workflow.Turn{Run: workflow.Start("", spec, 1, nil, start), Spec: spec}
	pass := func() {
		runs, tallies := workflow.Advance([]workflow.Turn{turn}, workflow.Limits{}, start)
		turn.Run, turn.Tallies = runs[0], tallies
	}
	phases := func() (phases []model.StepPhase) {
		for _, s := range turn.Run.Steps {
			phases = append(phases, s.Phase)
		}
		return phases
	}
	pass()
	require.Equal(t, []model.StepPhase{"active", "pending", "pending", "pending"}, phases())
	turn.Results = []workflow.Result{{Key: workflow.Intents(&turn.Run, spec, nil)[0].Key, OK: true, Message: "7"}}
	pass()
	require.Equal(t, []model.StepPhase{"succeeded", "active", "pending", "pending"}, phases())
	turn.Commands = []model.Command{{Action: "approve", Run: turn.Run.ID, Step: "agree", By: "ann", Roles: []string{"tenant-admin"}}}
	pass()
	require.Equal(t, []model.StepPhase{"succeeded", "succeeded", "active", "pending"}, phases())
	web, _ := spec.Component("web")
	turn.Seen = []workflow.Seen{{Component: "web", Granted: 4, Versions: []workflow.SeenVersion{{Content: web.Content(spec.ID), Replicas: 4, Ready: 4}}}}
	pass()
	require.Equal(t, []model.StepPhase{"succeeded", "succeeded", "succeeded", "skipped"}, phases())
	require.Equal(t, model.RunSucceeded, turn.Run.Phase, turn.Run.Message)
}
