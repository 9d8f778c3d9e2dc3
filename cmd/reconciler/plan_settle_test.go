package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
)

// TestPlanSettles: the rounds of a plan are those of the loop after the merge, until rest: what gives way, and what comes
// back when its hold is over. The decisions at rest are the same, byte for byte. Without --settle nothing is said of rounds.
func TestPlanSettles(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("hold.cue", "package fleet\n\nplatform: policy: restoreHold: \"2h\"\n")
	w.app("acme", "low", 12, 100)
	w.app("acme", "high", 14, 800)
	w.repo.Commit("first")
	w.passes()
	w.now = w.now.Add(time.Hour)
	w.repo.Git("rm", "-rqf", "tenants/acme/apps/high")

	plain := w.plan(exitDiffers)
	require.Nil(t, plain.Rounds)
	require.NotContains(t, w.text(exitDiffers, "plan", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339), "-o", "json"), `"rounds"`)
	settled := w.plan(exitDiffers, "--settle")
	first := settled.Rounds[0]
	require.Equal(t, plain.Applications, first.Applications)
	require.Equal(t, 1, first.Number)
	last := settled.Rounds[len(settled.Rounds)-1]
	require.Len(t, last.Applications, 1)
	require.Equal(t, plan.Restored, last.Applications[0].Effect)
	require.Equal(t, plan.Removed, settled.Applications[0].Effect)
	require.Equal(t, plan.Restored, settled.Applications[1].Effect, "in the end")

	text := w.text(exitDiffers, "plan", "--settle", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339))
	require.Contains(t, text, "assume that everything that starts becomes ready")
	want, err := os.ReadFile("testdata/settle/plan.txt") // the page of plan shows it
	require.NoError(t, err)
	require.Contains(t, text, string(want))
	comment := w.text(exitDiffers, "plan", "--settle", "-o", "markdown", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339))
	require.Contains(t, comment, "#### Round 1 at ")
	require.Contains(t, comment, "#### The end state")

	var same view.Plan
	w.run(exitDiffers, &same, "what-if", "--settle", "--head", "HEAD", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339), "-o", "json",
		"--set", "application.acme/high.desired=terminated")
	require.Len(t, same.Rounds, 2)

	w.repo.Commit("high goes")
	next := w.settled()
	for i := range settled.Rounds {
		w.now = settled.Rounds[i].At
		for range 6 { // what it starts becomes ready
			w.pass()
		}
	}
	ledger, err := status.ReadClone(t.Context(), w.repo.Dir, w.tip())
	require.NoError(t, err)
	require.Equal(t, recordedDecisions(t, &ledger), recordedDecisions(t, &next))
}

// settled returns the ledger at which the commit comes to rest, as a plan finds it.
func (w *world) settled() model.Ledger {
	w.t.Helper()
	tree, err := clone.Open(w.t.Context(), w.repo.Dir)
	require.NoError(w.t, err)
	defer tree.Close()
	o, err := (&fleetFlags{fleet: "fleet"}).options(w.t.Context(), nil)
	require.NoError(w.t, err)
	made, err := offline.Plan(w.t.Context(), o, offline.Case{Tree: tree, StatusBranch: "status", Now: w.now, Settle: true}, "main", "HEAD")
	require.NoError(w.t, err)
	return made.Next
}

func recordedDecisions(t *testing.T, l *model.Ledger) string {
	var out bytes.Buffer
	for i := range l.Decisions {
		require.NoError(t, json.NewEncoder(&out).Encode(l.Decisions[i]))
	}
	return out.String()
}
