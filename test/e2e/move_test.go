package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestMove: git mv of an application, whose new name is refused, leaves the old one as it
// is, also after a restart. It ends in the pass that admits the new one, for which there
// is no quota beside it.
func TestMove(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	docs, shop := app("acme", "docs", web(1, "1")), app("acme", "shop", web(2, "1"))
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 2, ""), docs, shop))
	w.phase("acme/docs", model.PhaseRunning)
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-acme")
	before, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)

	const from, to = "tenants/acme/apps/shop/app.cue", "tenants/acme/apps/store/app.cue"
	w.commit("git mv", map[string]string{from: "", to: shop[from]})
	for range 2 {
		w.pass()
		ledger := w.settled()
		old, _ := ledger.Find(id("shop"))
		require.Equal(t, model.PhaseRunning, old.Phase)
		require.Equal(t, model.ReasonMoveWaits, old.Refused.Reason)
		store, _ := ledger.Find(id("store"))
		require.Equal(t, model.PhaseRejected, store.Phase)
		live, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, before.UID, live.UID)
		require.Equal(t, before.Generation, live.Generation)
		w.stop()
		w.start()
	}

	w.commit("its name, too", map[string]string{to: app("acme", "store", web(2, "1"))[to]})
	w.until("the new one is admitted", func(l *model.Ledger) bool {
		old, _ := l.Find(id("shop"))
		store, _ := l.Find(id("store"))
		require.Equal(t, store.Phase.Active(), old.Phase == model.PhaseTerminated, "one of them runs")
		return store.Phase == model.PhaseRunning
	})
	w.until("the old one is gone", func(*model.Ledger) bool {
		_, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	w.stop()
}
