package kubernetes_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// Plans are written where agents are, only where they differ, and a pool that is gone has an
// empty one: agents keep the last plan while a ConfigMap is missing.
func TestPlansOfPools(t *testing.T) {
	f := setup(t)
	namespace := f.fleet + "-nodes"
	r, err := kubernetes.New(f.Config, kubernetes.Options{Fleet: f.fleet, Agents: namespace})
	require.NoError(t, err)
	t.Cleanup(r.Close)
	plans := map[string][]byte{"general": []byte("one"), "gpu": []byte("two")}
	require.NoError(t, r.Plan(t.Context(), nil, plans), "without the namespace there is nobody to tell")

	_, err = f.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	client := f.Clientset.CoreV1().ConfigMaps(namespace)
	read := func(pool string) *corev1.ConfigMap {
		c, err := client.Get(t.Context(), kubernetes.PlanName(f.fleet, pool), metav1.GetOptions{})
		require.NoError(t, err)
		return c
	}
	require.NoError(t, r.Plan(t.Context(), nil, plans))
	require.Equal(t, map[string]string{"plan.json": "one"}, read("general").Data)
	version := read("general").ResourceVersion
	require.NoError(t, r.Plan(t.Context(), nil, plans))
	require.Equal(t, version, read("general").ResourceVersion)

	changed := read("general")
	changed.Data["plan.json"], changed.Data["more"] = "what somebody else likes", ""
	_, err = client.Update(t.Context(), changed, metav1.UpdateOptions{})
	require.NoError(t, err)
	delete(plans, "gpu")
	require.NoError(t, r.Plan(t.Context(), nil, plans))
	require.Equal(t, "one", read("general").Data["plan.json"])
	empty, err := qos.Parse([]byte(read("gpu").Data["plan.json"]))
	require.NoError(t, err)
	require.Empty(t, empty.Workloads)
}
