package e2e

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// TestObjectOfHelm: an application whose Deployment has the name of one of Helm's is
// Degraded, with the release by name. Helm's stays as it is, also after the application is
// removed from Git, and the application runs when Helm's is gone.
func TestObjectOfHelm(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a tenant", merge(platform(w.name), tenant("acme", 6, "")))
	w.settled()
	ns := w.name + "-acme"
	deployments := w.cluster.Clientset.AppsV1().Deployments(ns)
	labels := map[string]string{"app.kubernetes.io/managed-by": "Helm", "app": "shop"}
	_, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "shop-web", Labels: labels,
			Annotations: map[string]string{"meta.helm.sh/release-name": "legacy", "meta.helm.sh/release-namespace": ns}},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/legacy:1"}}}}},
	}, metav1.CreateOptions{FieldManager: "helm"})
	require.NoError(t, err)
	var helms *appsv1.Deployment
	require.Eventually(t, func() bool {
		helms, err = deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
		return err == nil && helms.Status.ObservedGeneration == helms.Generation && len(helms.Status.Conditions) > 0
	}, patience, 50e6, "the controller has nothing left to say")
	asItWas := func() {
		t.Helper()
		now, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, helms, now)
	}

	w.commit("an application", app("acme", "shop", web(2, "1")))
	inst := w.phase("acme/shop", model.PhaseDegraded)
	require.Equal(t, model.ReasonApplyFailed, inst.Reason)
	require.Len(t, inst.Outcomes, 1)
	require.Equal(t, model.OutcomeForeign, inst.Outcomes[0].Reason)
	require.Equal(t, "Deployment "+ns+"/shop-web: it exists already and belongs to Helm release "+ns+"/legacy; remove or rename one of the two, or take it over with application.adopt: [{kind: \"Deployment.apps\", name: \"shop-web\"}]", inst.Outcomes[0].Message)
	asItWas()
	page := w.git(w.repo, "show", "status:tenants/acme/shop/README.md")
	require.Contains(t, page, "Foreign")
	require.Contains(t, page, "Helm release")

	w.commit("no application", merge(map[string]string{"tenants/acme/apps/shop": ""}, removal("acme", "acme/shop#1")))
	w.until("the application is gone", func(l *model.Ledger) bool {
		inst, ok := l.Find(id("shop"))
		return !ok || inst.Phase == model.PhaseTerminated
	})
	w.settled()
	asItWas()

	w.commit("the application again", app("acme", "shop", web(2, "1")))
	w.phase("acme/shop", model.PhaseDegraded)
	asItWas()
	require.NoError(t, deployments.Delete(t.Context(), "shop-web", metav1.DeleteOptions{}))
	w.phase("acme/shop", model.PhaseRunning)
}

// TestSecondFleet: a copy of a fleet repo with an older image, run as another fleet in the
// same cluster, changes nothing of the first and fails; neither ever takes from the other.
func TestSecondFleet(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(2, "2"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	writes := w.writes.Load()

	copied := t.TempDir() + "/copy.git"
	w.git(t.TempDir(), "clone", "-q", "--bare", "--single-branch", "-b", "main", w.repo, copied)
	first := w.repo
	w.repo = copied
	w.git(w.clone, "remote", "set-url", "origin", copied)
	w.commit("an older image", app("acme", "shop", web(2, "1")))
	second := newEngine(t, copied, w.name+"-copy", w.cluster.Config, func(o *reconcile.Options) { o.Prefix = w.name + "-" })
	t.Cleanup(func() {
		_ = w.cluster.Clientset.CoreV1().ConfigMaps(anchors).Delete(context.Background(), "daros-"+w.name+"-copy", metav1.DeleteOptions{})
	})
	for range 3 {
		r, err := second.loop.Pass(t.Context())
		require.NoError(t, err)
		require.Zero(t, r.Applied.Count(runtime.Created)+r.Applied.Count(runtime.Configured)+r.Applied.Count(runtime.Corrected)+r.Applied.Count(runtime.Pruned), "%+v", r.Applied)
	}
	ledger := w.ledger()
	inst, ok := ledger.Find(id("shop"))
	require.True(t, ok)
	require.Equal(t, model.OutcomeForeign, inst.Outcomes[0].Reason)
	require.Contains(t, inst.Outcomes[0].Message, "Namespace "+w.name+"-acme: it exists already and belongs to fleet "+w.name)

	w.repo = first
	w.settled()
	require.Equal(t, writes, w.writes.Load(), "the first has nothing to put back")
	d, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "registry.example.com/web:2", d.Spec.Template.Spec.Containers[0].Image)
}
