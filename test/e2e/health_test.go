package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestHealthOfADefinition: an application waits until the definition of its component finds healthy what the cluster
// reports of its objects, and is degraded when that ends. The record and the page have the line of the definition.
func TestHealthOfADefinition(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 1, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", `door: {type: "door", properties: port: 80}`), map[string]string{
		"door.cue": `package fleet

platform: {
	allotments: acme: services: ["LoadBalancer"]
	policy: {kinds: ["Service"], defaults: unreadyAfter: "1s"}
	definitions: components: door: {
		#Parameter: port!: int
		parameter: #Parameter
		context: name: _
		live: _
		example: port: 80
		outputs: door: {apiVersion: "v1", kind: "Service", metadata: name: context.name, spec: {type: "LoadBalancer", ports: [{port: parameter.port}]}}
		sample: Service: [{status: loadBalancer: ingress: [{ip: "192.0.2.1"}]}]
		health: len(live.Service[0].status.loadBalancer.ingress) > 0
		status: "at \(live.Service[0].status.loadBalancer.ingress[0].ip)"
	}
}
`,
	}))
	w.until("the component waits for its health", func(l *model.Ledger) bool {
		inst, ok := l.Find(id("shop"))
		if !ok || inst.Phase != model.PhaseScheduled {
			return false
		}
		seen := inst.Shown.Of("door")
		return seen != nil && seen.Ready == 0 && seen.Why != ""
	})
	services := w.cluster.Clientset.CoreV1().Services(w.name + "-acme")
	set := func(ingress string) {
		_, err := services.Patch(t.Context(), "door", types.MergePatchType, []byte(`{"status": {"loadBalancer": {"ingress": `+ingress+`}}}`), metav1.PatchOptions{}, "status")
		require.NoError(t, err)
	}
	set(`[{"ip": "192.0.2.7"}]`)
	inst := w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "at 192.0.2.7", inst.Shown.Of("door").Says)
	require.Contains(t, w.git(w.repo, "show", "status:tenants/acme/shop/README.md"), "at 192.0.2.7")

	set("[]")
	inst = w.phase("acme/shop", model.PhaseDegraded)
	require.Equal(t, model.ReasonNotReady, inst.Reason)
	require.Contains(t, inst.Message, "door: 0 of 1 ready")
	set(`[{"ip": "192.0.2.8"}]`)
	inst = w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "at 192.0.2.8", inst.Shown.Of("door").Says)
}
