package apply_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

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
		  template: {metadata: {labels: {app: db}}, spec: {terminationGracePeriodSeconds: 1, nodeSelector: {d-aros.dev/pool: general}, containers: [{name: db, image: "example.com/db:1"}]}},
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

// going reports whether a volume is deleted, or is gone.
func (f *fixture) going(name string) bool {
	u, err := f.dynamic.Resource(claims).Namespace(f.fleet).Get(f.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true
	}
	require.NoError(f.t, err)
	return u.GetDeletionTimestamp() != nil
}

// replicas is how many replicas a StatefulSet wants, 0 if it is gone.
func (f *fixture) replicas(name string) int64 {
	u, err := f.dynamic.Resource(statefulSets).Namespace(f.fleet).Get(f.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return 0
	}
	require.NoError(f.t, err)
	n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	return n
}

// TestEndOfDataAnywhere kills the end of an application between any two of its
// writes: no volume is left over because the next process knows no better, or because it was made anew meanwhile.
func TestEndOfDataAnywhere(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	ended := render.Set{App: f.set("shop").App, Namespace: f.fleet, DeleteData: true}
	for survive, done := int64(0), false; !done; survive++ {
		require.Less(t, survive, int64(20), "it never ends")
		f.apply(f.applier(), f.set("shop", f.disposable()...))
		f.eventually(func() bool { return f.exists(claims, "data-db-0") && f.exists(claims, "data-db-1") }, "claims of the StatefulSet")
		done = f.applyDying(survive, f.applierFor, ended)
		if f.going("data-db-0") || f.going("data-db-1") {
			require.Zero(t, f.replicas("db"), "after %d writes: its controller would make the volume anew, for ever", survive)
		}
		f.apply(f.applier(), ended)
		f.eventually(func() bool {
			return !f.exists(claims, "goes") && !f.exists(claims, "data-db-0") && !f.exists(claims, "data-db-1") && !f.exists(statefulSets, "db")
		}, fmt.Sprintf("all to go after %d writes", survive))
	}
}

// TestWhoMayNotDeleteDataKeepsIt: what runs goes all the same.
func TestWhoMayNotDeleteDataKeepsIt(t *testing.T) {
	f := setup(t)
	meta := metav1.ObjectMeta{Name: f.fleet}
	rbac := f.Clientset.RbacV1()
	_, err := rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch", "create", "patch"}},
		{APIGroups: []string{"", "apps"}, Resources: []string{"configmaps", "statefulsets"}, Verbs: []string{"delete"}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: f.fleet},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: f.fleet}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		require.NoError(t, rbac.ClusterRoleBindings().Delete(ctx, f.fleet, metav1.DeleteOptions{}))
		require.NoError(t, rbac.ClusterRoles().Delete(ctx, f.fleet, metav1.DeleteOptions{}))
	})
	f.apply(f.applier(), f.tenant(), f.set("shop", f.disposable()...))
	cfg := rest.CopyConfig(f.Config)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: f.fleet}
	client, err := dynamic.NewForConfig(cfg)
	require.NoError(t, err)
	f.eventually(func() bool { // the API server learns of rules by a watch
		_, err := client.Resource(claims).Namespace(f.fleet).List(t.Context(), metav1.ListOptions{})
		return err == nil
	}, "rights")
	r := f.apply(f.applierFor(cfg), render.Set{App: f.set("shop").App, Namespace: f.fleet, DeleteData: true})
	require.Equal(t, apply.Kept, actions(r, "shop")["PersistentVolumeClaim/goes"])
	require.Equal(t, apply.Pruned, actions(r, "shop")["StatefulSet/db"])
	require.True(t, f.exists(claims, "goes"))
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
	f.settles(a, set)
	set.KeepSupport = false
	f.apply(f.applier(), set)
	require.False(t, f.exists(configMaps, "old"), "it was not lost track of")
}
