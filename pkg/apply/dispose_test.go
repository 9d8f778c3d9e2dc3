package apply_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

// disposable are a claim and a StatefulSet with one, both to go with their application.
func (f *fixture) disposable() []string {
	return []string{
		`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: goes, annotations: {d-aros.dev/prune: keep, d-aros.dev/deletion: delete-data}},
		  spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
		fmt.Sprintf(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, annotations: {d-aros.dev/deletion: delete-data}}, spec: {
		  replicas: 2, podManagementPolicy: Parallel, serviceName: db, selector: {matchLabels: {app: db}},
		  template: {metadata: {labels: {app: db}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: db, image: "example.com/db:1"}]}},
		  volumeClaimTemplates: [{metadata: {name: data, labels: {d-aros.dev/tenant: %s, d-aros.dev/application: shop, d-aros.dev/component: db}},
		    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}`, f.fleet),
	}
}

func TestDataGoesWithItsApplication(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("shop", append(f.disposable(), claim, configMap("settings", "1"))...))
	made := func() bool { return f.exists(claims, "data-db-0") && f.exists(claims, "data-db-1") }
	f.eventually(made, "claims of the StatefulSet")
	// Somebody copied labels and annotation: that does not make it ours.
	copied := f.get(claims, "goes").DeepCopy()
	copied.SetName("copied")
	copied.SetResourceVersion("")
	copied.SetUID("")
	copied.SetManagedFields(nil)
	_, err := f.dynamic.Resource(claims).Namespace(f.fleet).Create(t.Context(), copied, metav1.CreateOptions{FieldManager: "somebody"})
	require.NoError(t, err)
	ended := render.Set{App: f.set("shop").App, Namespace: f.fleet, DeleteData: true}
	other := ended
	other.App.Name = "other"

	f.apply(a, f.set("shop", append(f.disposable()[1:], configMap("settings", "1"))...))
	require.True(t, f.exists(claims, "goes"), "an update costs no data")
	f.apply(a, f.set("shop", append(f.disposable(), configMap("settings", "1"))...))
	notEmpty := f.set("shop", append(f.disposable(), configMap("settings", "1"))...)
	notEmpty.DeleteData = true
	f.apply(a, notEmpty, other)
	require.True(t, f.exists(claims, "goes") && made(), "nor does an end that has not come, nor that of another")

	r := f.apply(f.applier(), ended)
	require.Equal(t, apply.Pruned, actions(r, "shop")["PersistentVolumeClaim/goes"])
	require.Equal(t, apply.Pruned, actions(r, "shop")["PersistentVolumeClaim/data-db-1"])
	f.eventually(func() bool {
		return !f.exists(claims, "goes") && !f.exists(claims, "data-db-0") && !f.exists(claims, "data-db-1") && !f.exists(statefulSets, "db")
	}, "volumes to go")
	require.True(t, f.exists(claims, "data"), "its declaration did not say so")
	require.True(t, f.exists(claims, "copied"))
}

func TestDataStaysWithoutALastWord(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("shop", f.disposable()...))
	f.eventually(func() bool { return f.exists(claims, "data-db-1") }, "claims of the StatefulSet")
	f.apply(a, f.set("shop"))
	f.eventually(func() bool { return !f.exists(statefulSets, "db") }, "the StatefulSet to go")
	require.True(t, f.exists(claims, "goes") && f.exists(claims, "data-db-0") && f.exists(claims, "data-db-1"))
	f.apply(a, f.set("shop", f.disposable()...))
	require.True(t, f.exists(claims, "goes"), "and it finds its data when it comes back")
}

func TestWhatRunsGoesFirst(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("shop", configMap("settings", "1"), deployment("web", "shop:1", "replicas: 0")))
	r := f.apply(a, f.set("shop"))
	var order []string
	for _, res := range r.Sets[0].Results {
		order = append(order, res.Kind)
	}
	require.Equal(t, []string{"Deployment", "ConfigMap"}, order)
}

func TestWhatTheUnknownMayNeedStays(t *testing.T) {
	f := setup(t)
	a := f.applier()
	set := f.set("shop", configMap("settings", "1"))
	f.apply(a, f.tenant(), f.set("shop", configMap("settings", "1"), configMap("old", "1"), deployment("web", "shop:1", "replicas: 0")))
	set.KeepSupport = true
	f.apply(a, set)
	require.True(t, f.exists(configMaps, "old"))
	f.eventually(func() bool { return !f.exists(deployments, "web") }, "what runs to go")
	require.Equal(t, apply.Requests{}, f.apply(a, set).Requests)
	set.KeepSupport = false
	f.apply(f.applier(), set)
	require.False(t, f.exists(configMaps, "old"), "it was not lost track of")
}
