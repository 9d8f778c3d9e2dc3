package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// TestPlanReadsRemovals: a plan refuses a removal of many, and accepts it with the file of
// confirm-removal in the same branch. A squash keeps the file, and what it names goes.
func TestPlanReadsRemovals(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.app("acme", name, 1, 300)
	}
	w.repo.Commit("first")
	w.passes()

	w.repo.Git("checkout", "-q", "-b", "drop")
	w.repo.Git("rm", "-rq", "tenants/acme/apps/a", "tenants/acme/apps/b", "tenants/acme/apps/c")
	w.repo.Commit("drop three")
	refused := w.text(2, "plan", "--repo", w.repo.Dir)
	require.Contains(t, refused, "DA1901")
	require.Contains(t, refused, "acme/a#1, acme/b#1, acme/c#1")
	require.Contains(t, refused, `"reconciler confirm-removal"`)
	w.text(0, "confirm-removal", "--repo", w.repo.Dir)
	require.NotContains(t, w.text(1, "plan", "--repo", w.repo.Dir), "DA1901")

	w.repo.Git("checkout", "-q", "main")
	w.repo.Git("merge", "-q", "--squash", "drop")
	w.repo.Commit("drop three, squashed")
	w.passes()
	ledger, err := status.ReadClone(t.Context(), w.repo.Dir, w.tip())
	require.NoError(t, err)
	for _, name := range []string{"a", "b", "c"} {
		inst, _ := ledger.Find(model.AppID{Tenant: "acme", Name: name})
		require.Equal(t, model.ReasonRemoved, inst.Reason, "%s: %s", name, inst.Message)
	}
}

// TestPlanShowsMoves: a plan says what becomes of an application that Git has under
// another name, and what does not follow it.
func TestPlanShowsMoves(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "shop"} {
		w.app("acme", name, 1, 300)
	}
	w.repo.Commit("first")
	w.passes()

	w.repo.Git("mv", "tenants/acme/apps/shop", "tenants/acme/apps/store")
	require.Contains(t, w.text(2, "plan", "--repo", w.repo.Dir),
		"Git has acme/shop as acme/store now: shop goes on until that is admitted; volumes and secrets do not follow")
	w.app("acme", "store", 1, 300)
	require.Contains(t, w.text(1, "plan", "--repo", w.repo.Dir),
		"Git has acme/shop as acme/store now: shop ends, because that is admitted; volumes and secrets do not follow")
}

// TestPlanNotesRemovals: a plan notes what a file confirms that is no removal of the change:
// instances that do not run. The change is not refused for that.
func TestPlanNotesRemovals(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 1, 300)
	w.repo.Commit("first")
	w.passes()

	w.repo.Git("checkout", "-q", "-b", "confirm")
	w.repo.Write("approvals/acme/removals/old.cue", "package fleet\n\nremoval: [\"acme/shop#1\", \"acme/shop#2\", \"acme/gone#1\"]\n")
	w.repo.Commit("confirm")
	text := w.text(0, "plan", "--repo", w.repo.Dir)
	for _, id := range []string{"acme/shop#2", "acme/gone#1"} {
		require.Contains(t, text, id+` does not run, so the file in approvals/acme/removals that names it confirms nothing; "reconciler confirm-removal" names what runs`)
	}
	require.NotContains(t, text, "acme/shop#1")
}
