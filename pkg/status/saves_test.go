package status_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestAMigrationTellsNothing: a save that migrates is two commits with one number. Whoever
// repeats what it changed tells what its maker told, under the same keys, and nothing of
// the migration; nor does a migration to format 1, which lacks what applying came to.
func TestAMigrationTellsNothing(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	first := named(example(model.PhaseRunning))
	first.Instances[0].Held = []model.Digest{first.Instances[0].Release(), "0123456789abcdef"}
	first.Instances[0].Outcomes = []model.Outcome{{Object: "Service acme/web", Component: "web", Reason: model.OutcomeForbidden, Message: "no", First: noon, Last: noon}}
	first.Instances[0].Drift = []model.Drift{{Object: "Service acme/web", Count: 1, Time: noon}}
	_, _, err = b.Commit(t.Context(), empty, first)
	require.NoError(t, err)
	all := func() (keys []string) {
		events, err := open(t, remote.Dir).Events(t.Context(), status.EventFilter{})
		require.NoError(t, err)
		for i := range events {
			keys = append(keys, events[i].Key.String()+" "+events[i].What())
		}
		return keys
	}
	before := all()
	_, err = b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, before, all(), "a migration is no news")

	previous, err := b.Load(t.Context())
	require.NoError(t, err)
	saved, changed, err := b.Commit(t.Context(), previous, move(previous, model.PhaseDegraded, noon.Add(time.Hour)))
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, "migrate from format 1.0 to "+status.Current.String(), remote.Git("log", "-1", "--format=%s", "status~1"))
	var told, repeated []string
	for _, a := range announce.Between(&previous, &saved, noon) {
		told = append(told, a.Key.String()+" "+a.What())
	}
	saves, err := open(t, remote.Dir).Saves(t.Context(), previous.Identity.Sequence)
	require.NoError(t, err)
	for i := range saves {
		for _, a := range announce.Between(&saves[i].Before, &saves[i].After, saves[i].At) {
			repeated = append(repeated, a.Key.String()+" "+a.What())
		}
	}
	require.NotEmpty(t, told)
	require.Equal(t, told, repeated)
	seen := map[string]bool{}
	for _, line := range all() {
		require.False(t, seen[line], line)
		seen[line] = true
	}
	entries, err := open(t, remote.Dir).History(t.Context(), "", previous.Instances[0].App, 10)
	require.NoError(t, err)
	require.Len(t, entries[0].Changes, 1)
	require.Empty(t, entries[1].Changes)
	require.Empty(t, entries[2].Changes)
}
