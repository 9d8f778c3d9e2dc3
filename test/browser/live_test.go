package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/test/clustertest"
)

// TestLive: the page of an application shows what a real cluster has of it, follows it without a reload, and shows hostile logs as
// text.
func TestLive(t *testing.T) {
	b := newBrowser(t)
	c := clustertest.Start(t)
	fleet := c.Prefix(t)
	nodes := c.AddNodes(t, fleet, 1, "4", "16Gi")
	c.ServeLogs(t, nodes, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "2026-03-01T12:00:00Z \x1b[31mfirst\x1b[0m <img src=x onerror=alert(1)>\n")
		for i := range 600 {
			fmt.Fprintf(w, "2026-03-01T12:00:01Z line %d\n", i)
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	namespace := fleet + "-acme"
	_, err := c.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	labels := map[string]string{render.LabelFleet: fleet, render.LabelTenant: "acme", render.LabelApplication: "shop", render.LabelComponent: "web"}
	_, err = c.Clientset.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "shop-web", Labels: labels},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{NodeSelector: map[string]string{clustertest.PoolLabel: fleet}, Containers: []corev1.Container{{Name: "web", Image: "example.com/web:1"}}},
		}},
	}, metav1.CreateOptions{FieldManager: "somebody"})
	require.NoError(t, err)

	s := b.serve(t, "testdata/demo.bundle", "status", "--live", "--kubeconfig", c.Kubeconfig, "--fleet", fleet, "--namespace-prefix", fleet+"-")
	b.during(t, s, "live", func(string) {
		_, err := c.Clientset.AppsV1().Deployments(namespace).Patch(t.Context(), "shop-web", types.MergePatchType, []byte(`{"spec":{"replicas":2}}`), metav1.PatchOptions{})
		require.NoError(t, err)
	})
}
