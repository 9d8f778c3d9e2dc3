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

// TestCrashDegradesAndHeals: a pod that crashes is seen with its exit code, and so
// is that it runs again.
func TestCrashDegradesAndHeals(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(1, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	pods := w.cluster.Clientset.CoreV1().Pods(w.name + "-acme")
	list, err := pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	pod := list.Items[0].Name
	_, err = pods.Patch(t.Context(), pod, types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"oom"}}}`, clustertest.FailLabel), metav1.PatchOptions{})
	require.NoError(t, err)
	inst := w.phase("acme/shop", model.PhaseDegraded)
	require.Equal(t, model.ReasonComponentFailed, inst.Reason)
	require.Contains(t, inst.Message, "137")

	require.NoError(t, pods.Delete(t.Context(), pod, metav1.DeleteOptions{}))
	inst = w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, model.ReasonRecovered, inst.Reason)
}

// TestFailedUpdateIsRolledBack: an update that does not come up before its
// deadline gives way to what ran before, and is tried again only when it changes.
func TestFailedUpdateIsRolledBack(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	patient, hasty := platform(w.name), platform(w.name) // a busy machine may need longer to start what is good
	hasty["fleet.cue"] = strings.Replace(hasty["fleet.cue"], `startDeadline: "10m"`, `startDeadline: "5s"`, 1)
	plain := func(tag, labels string) map[string]string {
		return app("acme", "shop", fmt.Sprintf(`web: {
			type: "raw"
			resources: requests: {cpu: "200m", memory: "64Mi"}
			properties: objects: [{
				apiVersion: "apps/v1", kind: "Deployment", metadata: name: "shop"
				spec: {
					replicas: 2
					selector: matchLabels: run: "shop"
					template: {
						metadata: labels: {run: "shop", %s}
						spec: containers: [{name: "web", image: "registry.example.com/web:%s", resources: requests: {cpu: "100m", memory: "32Mi"}}]
					}
				}
			}]
		}`, labels, tag))
	}
	w.commit("a fleet", merge(patient, tenant("acme", 6, ""), plain("1", "")))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()

	w.commit("crashes", merge(hasty, plain("2", fmt.Sprintf("%q: \"crash\"", clustertest.FailLabel))))
	rolledBack := func(l *model.Ledger) bool {
		inst, _ := l.Find(id("shop"))
		return inst.History[len(inst.History)-1].Reason == model.ReasonReady && inst.History[len(inst.History)-2].Reason == model.ReasonRolledBack
	}
	w.until("the update is rolled back and the old spec runs again", rolledBack)
	require.Equal(t, "registry.example.com/web:1", w.image("shop"))
	ledger := w.settled()
	inst, _ := ledger.Find(id("shop"))
	require.Equal(t, model.ReasonRolledBackSpec, inst.Refused.Reason)
	require.Len(t, inst.Held, 1)

	w.commit("mended", merge(patient, plain("3", "")))
	w.pass()
	w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "registry.example.com/web:3", w.image("shop"))
}
