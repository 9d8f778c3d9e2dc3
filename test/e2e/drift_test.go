package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// TestDriftIsPutBack: what somebody edits or deletes is put back within one pass,
// and said.
func TestDriftIsPutBack(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(2, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	ctx, ns := t.Context(), w.name+"-acme"
	deployments := w.cluster.Clientset.AppsV1().Deployments(ns)

	_, err := deployments.Patch(ctx, "shop-web", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"evil.example.com/miner"}]}}}}`), metav1.PatchOptions{FieldManager: "mallory"})
	require.NoError(t, err)
	w.noticed("shop-web")
	live, err := deployments.Get(ctx, "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "registry.example.com/web:1", live.Spec.Template.Spec.Containers[0].Image)

	require.NoError(t, w.cluster.Clientset.CoreV1().Services(ns).Delete(ctx, "shop-web", metav1.DeleteOptions{}))
	w.noticed("shop-web")
	_, err = w.cluster.Clientset.CoreV1().Services(ns).Get(ctx, "shop-web", metav1.GetOptions{})
	require.NoError(t, err)

	require.Eventually(t, func() bool {
		events, err := w.cluster.Clientset.CoreV1().Events(ns).List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		for _, e := range events.Items {
			if e.Reason == "DriftCorrected" && e.Type == corev1.EventTypeWarning {
				return true
			}
		}
		return false
	}, patience, 100e6, "an event tells of the correction")
	w.settled()
	require.Equal(t, model.PhaseRunning, w.phase("acme/shop", model.PhaseRunning).Phase)
}

// noticed makes the pass in which the loop has heard of a change, and demands that
// it puts an object of that name back.
func (w *world) noticed(name string) {
	w.t.Helper()
	w.until("the drift of "+name+" is corrected", func(*model.Ledger) bool {
		for _, s := range w.last.Applied.Outcomes {
			for _, r := range s.Results {
				if r.Action == runtime.Corrected && strings.HasSuffix(r.Object, "/"+name) {
					return true
				}
			}
		}
		return false
	})
}

// TestFieldsOfOthersAreLeftAlone: a component that scales by itself has its
// replicas set by somebody else, and they stay as set.
func TestFieldsOfOthersAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	scaled := `web: {
			type: "webservice", replicas: 6
			properties: {image: "registry.example.com/web:1", ports: [{port: 8080}]}
			resources: requests: {cpu: "500m", memory: "64Mi"}
			traits: autoscale: {min: 2, max: 6, cpu: 70}
		}`
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", scaled)))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-acme")
	scale, err := deployments.GetScale(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	scale.Spec.Replicas = 4
	_, err = deployments.UpdateScale(t.Context(), "shop-web", scale, metav1.UpdateOptions{FieldManager: "horizontal-pod-autoscaler"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		live, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
		require.NoError(t, err)
		return live.Status.ReadyReplicas == 4
	}, patience, 100e6)
	w.settled()
	w.pass()
	live, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 4, *live.Spec.Replicas)
	inst := w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, model.StateReady, inst.Components[0].State)
}
