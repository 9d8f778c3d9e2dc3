package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestRollbackWindow: a release is gone back to fast if it is one of the latest that
// succeeded, as many as the window has, and not one more.
func TestRollbackWindow(t *testing.T) {
	good := []model.Digest{"v5", "v4", "v3", "v2"}
	for window := range 4 {
		for at, release := range good {
			spec := &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Policy: &model.Policy{}, Release: release, Workflow: &model.Workflow{RollbackWindow: window}}
			last := &model.Run{App: spec.ID, Instance: 1, Number: 5, Phase: model.RunSucceeded, Good: good}
			run := workflow.Start("", spec, 1, last, start)
			require.Equal(t, at < window, run.Fast, "window %d, release %s", window, release)
		}
	}
}

// TestMemosPassOn: what was done before is not done again, in the next run and in the
// next instance, unless the data that it was done to went with the instance before.
func TestMemosPassOn(t *testing.T) {
	memo := model.Memo{Step: "migrate", Digest: "d"}
	for _, c := range []struct {
		instance int
		deletion model.Deletion
		passes   bool
	}{
		{1, model.DeletionKeepData, true},
		{1, model.DeletionDeleteData, true},
		{2, model.DeletionKeepData, true},
		{2, model.DeletionDeleteData, false},
	} {
		spec := &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Policy: &model.Policy{}, Release: "v2", Lifecycle: model.Lifecycle{Deletion: c.deletion}, Workflow: &model.Workflow{RollbackWindow: 3}}
		last := &model.Run{App: spec.ID, Instance: 1, Number: 1, Phase: model.RunSucceeded, Memos: []model.Memo{memo}, Good: []model.Digest{"v2"}}
		run := workflow.Start("", spec, c.instance, last, start)
		if c.passes {
			require.Equal(t, []model.Memo{memo}, run.Memos, "%+v", c)
			require.True(t, run.Fast, "%+v", c)
		} else {
			require.Empty(t, run.Memos, "%+v", c)
			require.False(t, run.Fast, "%+v", c)
		}
	}
}
