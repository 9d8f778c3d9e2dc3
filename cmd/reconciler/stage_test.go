package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestResumeNamesAStage: the request names the stage of --stage, else the present one, and
// one that the step does not have or has passed is refused before anything is committed.
func TestResumeNamesAStage(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	spec := model.Application{ID: app, Workflow: &model.Workflow{Steps: []model.Step{{Name: "release", Type: "canary", Components: []string{"web"},
		Properties: []byte(`{"stages":[{"weight":10,"manual":true},{"weight":30,"manual":true},{"weight":60,"manual":true}]}`)}}}}.Seal()
	run := model.Run{ID: model.DigestOf("run"), App: app, Instance: 1, Number: 1, Spec: spec.Release, Phase: model.RunRunning,
		Steps: []model.StepRun{{Name: "release", Phase: model.StepActive, Stage: 1}}}
	ledger := model.Ledger{Instances: []model.Instance{{App: app, Number: 1, Phase: model.PhaseScheduled, Spec: &spec, Run: &run}}}
	for _, c := range []struct {
		stage, names int
		refused      string
	}{
		{0, 2, ""},
		{2, 2, ""},
		{3, 3, ""},
		{1, 0, "stage 1 of step release is over; it is in stage 2"},
		{4, 0, "release has no stage 4 to resume"},
		{-1, 0, "release has no stage -1 to resume"},
	} {
		r, err := newRequest(&ledger, app, model.CommandResume, "", "release", c.stage)
		if c.refused != "" {
			require.EqualError(t, err, c.refused)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.names, r.Stage)
		require.Equal(t, "release", r.Step)
	}
	run.Steps[0] = model.StepRun{Name: "release", Phase: model.StepPending}
	_, err := newRequest(&ledger, app, model.CommandResume, "", "release", 0)
	require.EqualError(t, err, "step release has not begun; name the stage to resume with --stage, from 1 to 3")
	r, err := newRequest(&ledger, app, model.CommandResume, "", "release", 2)
	require.NoError(t, err)
	require.Equal(t, 2, r.Stage, "it waits for that stage")
}
