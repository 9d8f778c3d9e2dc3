package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestFiftyPodsWithoutRequests: pods for which nobody wrote requests have those of policy,
// count against the quota of 4 CPUs, and leave the rest of it to others.
func TestFiftyPodsWithoutRequests(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "32Gi")
	part := func(name string, replicas int) string {
		return fmt.Sprintf("%s: {type: \"worker\", replicas: %d, properties: image: \"registry.example.com/web:1\"}\n", name, replicas)
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 4, ""), app("acme", "many", part("a", 20)+part("b", 20)+part("c", 10))))
	in := w.phase("acme/many", model.PhaseRunning)
	var used model.Resources
	for i := range in.Components {
		used = used.Add(in.Components[i].Takes())
	}
	require.Equal(t, model.Resources{CPU: 2500, Memory: 50 * 64 << 20}, used)

	d, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), "many-a", metav1.GetOptions{})
	require.NoError(t, err)
	requests := d.Spec.Template.Spec.Containers[0].Resources.Requests
	require.Equal(t, "50m", requests.Cpu().String())
	require.Equal(t, "64Mi", requests.Memory().String())

	w.commit("more", app("acme", "shop", web(4, "1")))
	refused := w.phase("acme/shop", model.PhaseRejected)
	require.Contains(t, refused.Message, "asks for 2000m cpu, tenant acme has 1500m of 4000m left")
}
