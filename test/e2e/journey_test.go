package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestJourney follows one application from its first commit to its removal.
func TestJourney(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 3, "4", "16Gi")
	first := w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(3, "1"))))

	inst := w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, 1, inst.Number)
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-acme")
	live, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 3, *live.Spec.Replicas)
	require.Equal(t, first, live.Annotations["d-aros.dev/commit"])
	require.Equal(t, "acme", live.Labels["d-aros.dev/tenant"])
	quota, err := w.cluster.Clientset.CoreV1().ResourceQuotas(w.name+"-acme").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, quota.Items, 1)

	t.Log("steady state: no commits and no writes, also when asked often")
	w.settled()
	commits, writes := w.statusCommits(), w.writes.Load()
	for range 5 {
		w.pass()
	}
	require.Equal(t, commits, w.statusCommits())
	require.Equal(t, writes, w.writes.Load())

	t.Log("an update rolls out")
	w.commit("new image", app("acme", "shop", web(3, "2")))
	w.pass()
	require.EqualValues(t, model.PhaseScheduled, w.last.Transitions()[0].To)
	require.Equal(t, model.ReasonUpdateAdmitted, w.last.Transitions()[0].Reason)
	w.phase("acme/shop", model.PhaseRunning)
	live, err = deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "registry.example.com/web:2", live.Spec.Template.Spec.Containers[0].Image)

	t.Log("a broken change is refused, with both places, and what runs goes on")
	w.commit("too many", app("acme", "shop", web(21, "3")))
	w.pass()
	ledger := w.settled()
	inst, _ = ledger.Find(model.AppID{Tenant: "acme", Name: "shop"})
	require.Equal(t, model.PhaseRunning, inst.Phase)
	require.NotNil(t, inst.Refused)
	require.Len(t, ledger.Problems, 1)
	require.Contains(t, ledger.Problems[0].Message, "20")
	require.Contains(t, ledger.Problems[0].Places[0].At, "tenants/acme/apps/shop/app.cue:7:")

	t.Log("a change over the quota is refused too")
	w.commit("over quota", app("acme", "shop", web(13, "3")))
	w.pass()
	ledger = w.settled()
	inst, _ = ledger.Find(model.AppID{Tenant: "acme", Name: "shop"})
	require.Equal(t, model.PhaseRunning, inst.Phase)
	require.Equal(t, model.ReasonQuotaExceeded, inst.Refused.Reason)

	t.Log("pinning rolls back to the first commit")
	w.commit("pin", tenant("acme", 6, `releases: shop: commit: "`+first+`"`))
	w.pass()
	inst = w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, first, inst.Spec.Commit)
	live, err = deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "registry.example.com/web:1", live.Spec.Template.Spec.Containers[0].Image)

	t.Log("removal ends it, when a file confirms that nothing is left")
	w.commit("remove", merge(tenant("acme", 6, ""), removal("acme", "acme/shop#1"), map[string]string{"tenants/acme/apps/shop/app.cue": ""}))
	w.phase("acme/shop", model.PhaseTerminated)
	w.settled()
	require.Eventually(t, func() bool { // the cluster takes its time to end what it was told to end
		left, err := deployments.List(t.Context(), metav1.ListOptions{})
		return err == nil && len(left.Items) == 0
	}, time.Minute, 100*time.Millisecond)
}

// TestQuickReturn goes from A to B and back to A before anything settles: no
// object is deleted and none made anew.
func TestQuickReturn(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("A", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(2, "a"))))
	w.phase("acme/shop", model.PhaseRunning)
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-acme")
	before, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)

	w.commit("B", app("acme", "shop", web(2, "b")))
	w.pass()
	w.commit("A", app("acme", "shop", web(2, "a")))
	w.pass()
	w.commit("B", app("acme", "shop", web(2, "b")))
	w.commit("A", app("acme", "shop", web(2, "a")))
	inst := w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, 1, inst.Number)
	after, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, before.UID, after.UID)
	require.Equal(t, "registry.example.com/web:a", after.Spec.Template.Spec.Containers[0].Image)
}
