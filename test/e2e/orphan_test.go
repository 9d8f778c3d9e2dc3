package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
)

// TestOrphanIsPruned: an application that Git dropped while the ledger was lost stays, and
// goes once a file names it with its instance, after the branch says so. Nothing else goes.
func TestOrphanIsPruned(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(1, "1")), app("acme", "docs", web(1, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.phase("acme/docs", model.PhaseRunning)
	w.settled()
	w.stop()
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-acme")
	shop, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)

	w.git(w.repo, "update-ref", "-d", "refs/heads/status")
	w.commit("dropped", map[string]string{"tenants/acme/apps/docs": ""})
	w.engine = newEngine(t, w.repo, w.name, w.cluster.Config, func(o *reconcile.Options) { o.Recognition.Adopt = true })
	w.until("the orphan is found", func(l *model.Ledger) bool { return len(l.Orphans) == 1 })
	w.phase("acme/shop", model.PhaseRunning)
	stays := func() {
		t.Helper()
		ledger := w.settled()
		require.Len(t, ledger.Orphans, 1)
		require.Equal(t, "acme/docs#1", ledger.Orphans[0].ID().String())
		require.False(t, ledger.Orphans[0].Confirmed)
		_, err := deployments.Get(t.Context(), "docs-web", metav1.GetOptions{})
		require.NoError(t, err)
	}
	stays()
	w.commit("another instance of it", removal("acme", "acme/docs#2"))
	stays()

	w.commit("it may go", removal("acme", "acme/docs#1"))
	w.until("it is gone", func(l *model.Ledger) bool {
		_, err := deployments.Get(t.Context(), "docs-web", metav1.GetOptions{})
		return len(l.Orphans) == 0 && apierrors.IsNotFound(err)
	})
	require.Contains(t, w.git(w.repo, "log", "-p", "status", "--", "inputs/orphans.json"), `"confirmed": true`, "the branch says so first")
	after, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, shop.UID, after.UID)
	w.stop()
}
