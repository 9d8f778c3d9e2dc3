package solve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestHolds: what was granted less or more stays so for the longer of restoreHold and minRuntime.
func TestHolds(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	app := &App{Asked: Asked{Wanted: &model.Application{Policy: &model.Policy{RestoreHold: time.Minute}}, Instance: &model.Instance{Since: at}}}
	var r Roster
	require.Equal(t, at.Add(time.Minute), r.RestoredFrom(app), "since it is degraded")
	require.Zero(t, r.ProtectedUntil(app))

	app.Wanted.Policy.MinRuntime = 3 * time.Minute
	require.Equal(t, at.Add(time.Minute), r.RestoredFrom(app), "minRuntime is for what others take")
	app.Instance.Lowered, app.Instance.Raised = at.Add(time.Hour), at.Add(2*time.Hour)
	require.Equal(t, at.Add(time.Hour+3*time.Minute), r.RestoredFrom(app))
	require.Equal(t, at.Add(2*time.Hour+3*time.Minute), r.ProtectedUntil(app))

	app.Wanted.Policy.RestoreHold = 5 * time.Minute
	require.Equal(t, at.Add(time.Hour+5*time.Minute), r.RestoredFrom(app))
	require.Equal(t, at.Add(2*time.Hour+5*time.Minute), r.ProtectedUntil(app))
}
