package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/clustertest"
)

// play makes all pods of the tenant play a failure.
func (w *world) play(failure string) {
	w.t.Helper()
	pods := w.cluster.Clientset.CoreV1().Pods(w.name + "-acme")
	list, err := pods.List(w.t.Context(), metav1.ListOptions{})
	require.NoError(w.t, err)
	require.NotEmpty(w.t, list.Items)
	for i := range list.Items {
		_, err = pods.Patch(w.t.Context(), list.Items[i].Name, types.MergePatchType,
			fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, clustertest.FailLabel, failure), metav1.PatchOptions{})
		require.NoError(w.t, err)
	}
}

// TestUnreadyIsNotRunning: the readiness probe of a Deployment that was Running begins to
// fail. The phase says so as soon as policy does not put up with it any more, and says
// that it is over when pods that answer have taken their place.
func TestUnreadyIsNotRunning(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	fleet := platform(w.name)
	fleet["fleet.cue"] = strings.Replace(fleet["fleet.cue"], `startDeadline: "10m"`, `startDeadline: "10m", unreadyAfter: "2s"`, 1)
	w.commit("a fleet", merge(fleet, tenant("acme", 6, ""), app("acme", "shop", web(4, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	ledger := w.settled()
	inst, _ := ledger.Find(id("shop"))
	seen := inst.Shown.Of("web")
	require.NotNil(t, seen)
	require.Equal(t, []any{4, 4, []string{"registry.example.com/web:1"}}, []any{seen.Told, seen.Ready, seen.Images})

	w.play("never-ready")
	inst = w.phase("acme/shop", model.PhaseDegraded)
	require.Equal(t, model.ReasonNotReady, inst.Reason)
	require.Regexp(t, `^web: [0-3] of 4 ready since \d\d:\d\d, readiness probe fails$`, inst.Message)
	seen = inst.Shown.Of("web")
	require.Less(t, seen.Ready, 4)
	require.False(t, inst.Since.Before(seen.Unready.Add(2e9)), "not before policy says so")

	pods := w.cluster.Clientset.CoreV1().Pods(w.name + "-acme")
	require.NoError(t, pods.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	inst = w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, model.ReasonRecovered, inst.Reason)
	require.Equal(t, "everything runs as granted", inst.Message)
}

// TestAutoscalerIsSeen: where an autoscaler tells the runtime to run less than is granted,
// the record says how much.
func TestAutoscalerIsSeen(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", `web: {
			type: "webservice", replicas: 6
			properties: {image: "registry.example.com/web:1", ports: [{port: 8080}]}
			resources: requests: {cpu: "500m", memory: "64Mi"}
			traits: autoscale: {min: 2, max: 6, cpu: 80}
		}`)))
	w.phase("acme/shop", model.PhaseRunning)
	ledger := w.until("two are told to run, and ready", func(l *model.Ledger) bool {
		inst, _ := l.Find(id("shop"))
		seen := inst.Shown.Of("web")
		return seen != nil && seen.Told == 2 && seen.Ready == 2
	})
	inst, _ := ledger.Find(id("shop"))
	require.Equal(t, 6, inst.Components[0].Grant.Replicas)
	require.Equal(t, model.PhaseRunning, inst.Phase)
}
