package e2e

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/evaluators"
)

// These tests wait for the cluster most of the time, so more of them run at once than there are processors. A -parallel of
// the command line is read later, and counts.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(evaluators.Main(m))
}

// fromCluster makes the ledger again from what the cluster shows, as restore does.
func (w *world) fromCluster() (turn.Rebuilt, model.Ledger) {
	t := w.t
	t.Helper()
	left, err := kubernetes.Remains(t.Context(), w.cluster.Config, w.name)
	require.NoError(t, err)
	carrier, err := kubernetes.New(w.cluster.Config, kubernetes.Options{Fleet: w.name})
	require.NoError(t, err)
	defer carrier.Close()
	anchor, _, err := carrier.Anchor(t.Context())
	require.NoError(t, err)
	repo, err := source.Open(t.Context(), source.Options{URL: w.repo, Dir: t.TempDir()})
	require.NoError(t, err)
	defer repo.Close()
	rebuilt, err := offline.Rebuild(t.Context(), offline.Options{Child: []string{evaluators.Child(t)}, Fleet: w.name, Prefix: w.name + "-"}, repo,
		offline.Remains{Remains: left, Accepted: anchor.Commit}, model.LedgerIdentity{ID: status.NewLedgerID(), Fleet: w.name}, time.Now().UTC())
	require.NoError(t, err)
	branch, err := status.Open(t.Context(), status.Options{URL: w.repo, Dir: t.TempDir()})
	require.NoError(t, err)
	defer branch.Close()
	saved, done, err := branch.Begin(t.Context(), rebuilt.Ledger, true)
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	require.NoError(t, carrier.SetAnchor(t.Context(), turn.RebuiltAnchor(&saved, "status")))
	return rebuilt, saved
}

// TestRestoreFromCluster: with branch and copy lost in the middle of a canary, the ledger
// is made again from the cluster. No object changes, no job runs, and what was asked of
// the run before does not count. With the anchor lost, too, it is the same.
func TestRestoreFromCluster(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	shop := func(tag string) map[string]string {
		return app("acme", "shop", steps(migration(tag)+web(4, tag), migrate,
			`{name: "release", type: "canary", components: ["web"], dependsOn: ["migrate"], timeout: "30m", onFailure: "rollback"
			 properties: stages: [{weight: 25, manual: true}]}`,
			`{name: "agree", type: "approval", dependsOn: ["release"]}`))
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 12, ""), app("acme", "docs", web(1, "1")), shop("1")))
	first := w.run("the first run waits for somebody", is("agree", model.StepActive))
	w.commit("agreed", ask(first.ID, "approve", "agree"))
	w.phase("acme/shop", model.PhaseRunning)
	w.phase("acme/docs", model.PhaseRunning)
	w.settled()
	w.commit("an update", shop("2"))
	second := w.run("half a canary", func(r *model.Run) bool {
		s, ok := r.Step("release")
		return r.Number == 2 && ok && s.Phase == model.StepActive && !s.Until.IsZero()
	})
	asked := w.commit("agreed early", ask(second.ID, "approve", "agree"))
	w.until("the request is read", func(l *model.Ledger) bool { return l.Commit == asked })
	before := w.everything()
	w.stop()

	for _, anchored := range []bool{true, false} {
		w.git(w.repo, "update-ref", "-d", "refs/heads/status")
		if !anchored {
			w.forgetAnchor()
		}
		rebuilt, saved := w.fromCluster()
		require.Empty(t, rebuilt.Unknown)
		require.Empty(t, rebuilt.Orphans)
		require.Empty(t, rebuilt.New)
		require.EqualValues(t, 1, saved.Identity.Sequence)
		if anchored {
			require.Equal(t, asked, saved.Commit, "signatures are checked from there on")
		}
		w.start()
		for range 3 {
			w.pass()
		}
		require.Equal(t, before, w.everything(), "no object changes, no pod, and no job runs")
		ledger := w.ledger()
		inst, ok := ledger.Find(id("shop"))
		require.True(t, ok)
		require.Equal(t, model.RunPaused, inst.Run.Phase)
		require.NotEqual(t, second.ID, inst.Run.ID)
		agree, _ := inst.Run.Step("agree")
		require.Equal(t, model.StepPending, agree.Phase)
		for _, h := range inst.Run.Commands {
			require.NotEmpty(t, h.Refused, "%s", h.Run)
		}
		docs, _ := ledger.Find(id("docs"))
		require.Equal(t, model.PhaseRunning, docs.Phase)
		w.stop()
	}
	w.start()
	ledger := w.ledger()
	inst, _ := ledger.Find(id("shop"))
	run := inst.Run
	w.commit("resumed", ask(run.ID, "resume", ""))
	w.run("it goes on", is("release", model.StepActive))
	w.stop()
}
