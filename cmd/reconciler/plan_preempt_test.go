package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

// Who has to make room for a change shows, although nobody edited it.
func TestPlanShowsWhoMakesRoom(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "low", 12, 100)
	w.app("globex", "api", 4, 100)
	w.repo.Commit("first")
	w.passes()
	w.now = w.now.Add(time.Hour) // nobody is protected any more because it has just begun
	w.app("acme", "high", 14, 800)
	v := w.plan(exitDiffers)
	require.Len(t, v.Applications, 2, "who is of another tenant is left alone")
	low, high := v.Applications[0], v.Applications[1]
	require.Equal(t, "acme/low", low.App.String())
	require.Equal(t, plan.Degraded, low.Effect)
	require.False(t, low.Edited)
	require.Contains(t, low.After.Message, "acme/high")
	require.Equal(t, plan.Admitted, high.Effect)
	require.True(t, high.Edited)
	require.Less(t, low.Price.After, low.Price.Before)

	// The same without touching a file.
	var again view.Plan
	w.repo.Commit("high")
	w.passes()
	w.now = w.now.Add(time.Hour)
	w.run(exitDiffers, &again, "what-if", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339), "-o", "json",
		"--set", "application.acme/high.desired=terminated")
	effects := map[string]plan.Effect{}
	for _, a := range again.Applications {
		effects[a.App.String()] = a.Effect
	}
	require.Equal(t, plan.Removed, effects["acme/high"])
	require.Equal(t, plan.Restored, effects["acme/low"], "%v", effects)
}
