package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/model"
)

// raw is an application with a Deployment of its own, whose selector anybody may change.
func raw(selector, more string) map[string]string {
	return app("acme", "shop", fmt.Sprintf(`web: {
			type: "raw"
			resources: requests: {cpu: "100m", memory: "64Mi"}
			properties: objects: [{
				apiVersion: "apps/v1", kind: "Deployment", metadata: name: "shop"
				spec: {
					replicas: 1
					selector: matchLabels: run: %[1]q
					template: {
						metadata: labels: run: %[1]q
						spec: containers: [{name: "web", image: "registry.example.com/web:1", resources: requests: {cpu: "100m", memory: "32Mi"} %[2]s}]
					}
				}
			}]
		}`, selector, more))
}

// TestRefusedObjectIsTold: a Deployment with another selector ends the update at once. The
// record says why, in the API server's words and without a value, and so does the release on
// hold. The first start of an object that is invalid is Degraded.
func TestRefusedObjectIsTold(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 1, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), raw("hunter2", "")))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()

	w.commit("another selector", raw("hunter3", ""))
	ledger := w.until("the update is rolled back", func(l *model.Ledger) bool {
		inst, _ := l.Find(id("shop"))
		return inst.Refused != nil && inst.Phase == model.PhaseRunning
	})
	inst, _ := ledger.Find(id("shop"))
	const why = "Deployment %s-acme/shop: spec.selector cannot be changed after creation; delete the object or choose another name (Immutable)"
	require.Equal(t, "it was rolled back: update missed its deadline or failed for good: "+fmt.Sprintf(why, w.name)+"; it is tried again when it changes", inst.Refused.Message)
	require.Empty(t, inst.Outcomes, "what runs is applied")
	require.NotContains(t, w.git(w.repo, "log", "-p", "--format=%B", "status", "--", "tenants/acme/shop/README.md"), "hunter3")

	w.commit("invalid from the start", merge(raw("hunter2", ""), map[string]string{
		"tenants/acme/apps/new/app.cue": `package fleet

application: {
	name: "new"
	components: web: {
		type: "raw"
		resources: requests: {cpu: "100m", memory: "64Mi"}
		properties: objects: [{apiVersion: "v1", kind: "Service", metadata: name: "new", spec: ports: [{port: 99999, name: "hunter2"}]}]
	}
}
`,
	}))
	inst = w.phase("acme/new", model.PhaseDegraded)
	require.Equal(t, model.ReasonApplyFailed, inst.Reason)
	require.Len(t, inst.Outcomes, 1)
	o := inst.Outcomes[0]
	require.Equal(t, fmt.Sprintf("Service %s-acme/new", w.name), o.Object)
	require.Equal(t, model.OutcomeInvalid, o.Reason)
	require.Equal(t, "spec.ports[0].port", o.Field)
	require.NotContains(t, o.Message, "99999")
	require.True(t, o.Next.After(o.Last))
	commits := w.statusCommits()
	w.until("it was tried again", func(*model.Ledger) bool { return w.last.Applied.Requests.Apply > 0 })
	require.Equal(t, commits, w.statusCommits(), "another attempt saves nothing")
}

// TestDriftIsRecorded with its fields and their manager.
func TestDriftIsRecorded(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 1, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), raw("shop", "")))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	_, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Patch(t.Context(), "shop", types.MergePatchType,
		[]byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{FieldManager: "kubectl"})
	require.NoError(t, err)
	ledger := w.until("the drift is recorded", func(l *model.Ledger) bool {
		inst, _ := l.Find(id("shop"))
		return len(inst.Drift) > 0
	})
	inst, _ := ledger.Find(id("shop"))
	d := inst.Drift[0]
	require.Equal(t, []string{"spec.replicas"}, d.Fields)
	require.Equal(t, "kubectl", d.Manager)
	require.Equal(t, 1, d.Count)
}
