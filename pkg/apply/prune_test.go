package apply_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

const claim = `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`

func (f *fixture) exists(r schema.GroupVersionResource, name string) bool {
	f.t.Helper()
	_, err := f.dynamic.Resource(r).Namespace(f.fleet).Get(f.t.Context(), name, metav1.GetOptions{})
	require.True(f.t, err == nil || apierrors.IsNotFound(err), "%v", err)
	return err == nil
}

func (f *fixture) delete(r schema.GroupVersionResource, name string) {
	f.t.Helper()
	require.NoError(f.t, f.dynamic.Resource(r).Namespace(f.fleet).Delete(f.t.Context(), name, metav1.DeleteOptions{}))
}

func (f *fixture) patch(r schema.GroupVersionResource, name, merge string) {
	f.t.Helper()
	_, err := f.dynamic.Resource(r).Namespace(f.fleet).Patch(f.t.Context(), name, types.MergePatchType, []byte(merge),
		metav1.PatchOptions{FieldManager: "somebody"})
	require.NoError(f.t, err)
}

func TestPruneRules(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("shop", configMap("stays", "1"), configMap("goes", "1"), configMap("relabelled", "1"), claim,
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: keep, annotations: {d-aros.dev/prune: keep}}, data: {a: b}}",
		deployment("web", "shop:1", "replicas: 1")),
		f.set("other", configMap("others", "1")))
	f.patch(configMaps, "relabelled", `{"metadata": {"labels": {"d-aros.dev/application": "mine"}}}`)

	r := f.apply(f.applier(), f.set("shop", configMap("stays", "1")))
	require.Equal(t, map[string]apply.Action{
		"ConfigMap/stays": apply.Unchanged, "ConfigMap/goes": apply.Pruned, "ConfigMap/relabelled": apply.Kept,
		"PersistentVolumeClaim/data": apply.Kept, "ConfigMap/keep": apply.Kept, "Deployment/web": apply.Pruned,
	}, actions(r, "shop"), "%+v", r)
	for name, want := range map[string]bool{"stays": true, "goes": false, "relabelled": true, "keep": true, "others": true} {
		require.Equal(t, want, f.exists(configMaps, name), name)
	}
	require.True(t, f.exists(claims, "data"))
	f.eventually(func() bool { return !f.exists(deployments, "web") }, "deployment and its pods to go")

	f.settles(a, f.set("shop", configMap("stays", "1"))) // the inventory was trimmed

	t.Run("an empty set destroys", func(t *testing.T) {
		f.apply(a, f.set("shop"))
		require.False(t, f.exists(configMaps, "stays"))
		require.False(t, f.exists(configMaps, "d-aros.inventory.shop"), "inventory")
		require.True(t, f.exists(configMaps, "others"))
		require.True(t, f.exists(claims, "data"))
		require.Equal(t, apply.Requests{}, f.apply(f.applier(), f.set("shop")).Requests)
	})
	t.Run("a kept object is neither sent nor pruned", func(t *testing.T) {
		set := f.set("other", configMap("others", "2"))
		set.Objects[0].Keep = true
		r := f.apply(a, set)
		require.Equal(t, apply.Requests{}, r.Requests)
		require.Equal(t, apply.Kept, actions(r, "other")["ConfigMap/others"])
		require.Equal(t, "1", f.get(configMaps, "others").Object["data"].(map[string]any)["key"])
	})
}

func TestObjectMovesBetweenApplications(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("old", configMap("moved", "1"), configMap("rest", "1")))
	r := a.Apply(t.Context(), []render.Set{f.set("new", configMap("moved", "1"))})
	require.Equal(t, apply.Failed, actions(r, "new")["ConfigMap/moved"])
	require.Contains(t, r.Sets[0].Results[0].Message, "belongs to application "+f.fleet+"/old")

	f.apply(a, f.set("old", configMap("rest", "1")))
	require.False(t, f.exists(configMaps, "moved"))
	f.apply(a, f.set("new", configMap("moved", "1")), f.set("old", configMap("rest", "1")))
	require.True(t, f.exists(configMaps, "moved"))
}

func TestLostInventoryPrunesNothing(t *testing.T) {
	for name, harm := range map[string]func(*fixture){
		"lost":    func(f *fixture) { f.delete(configMaps, "d-aros.inventory.shop") },
		"corrupt": func(f *fixture) { f.patch(configMaps, "d-aros.inventory.shop", `{"data": {"nonsense": ""}}`) },
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			f.apply(f.applier(), f.tenant(), f.set("shop", configMap("stays", "1"), configMap("goes", "1")))
			// Somebody copied our labels: that does not make it ours.
			f.patchCopy("stays", "copied")
			harm(f)
			a := f.applier()
			set := f.set("shop", configMap("stays", "1"))
			r := a.Apply(t.Context(), []render.Set{set})
			require.NoError(t, r.Err)
			require.False(t, r.Sets[0].OK(), "another pass is needed")
			require.Len(t, r.Sets[0].Notices, 1, "%+v", r)
			require.True(t, f.exists(configMaps, "goes"))

			f.apply(a, set)
			require.False(t, f.exists(configMaps, "goes"))
			require.True(t, f.exists(configMaps, "stays"))
			require.True(t, f.exists(configMaps, "copied"))
			f.settles(a, set)
		})
	}
}

// patchCopy makes a copy of a ConfigMap with its labels, as people do.
func (f *fixture) patchCopy(from, to string) {
	u := f.get(configMaps, from)
	u.SetName(to)
	u.SetUID("")
	u.SetResourceVersion("")
	u.SetManagedFields(nil)
	_, err := f.dynamic.Resource(configMaps).Namespace(f.fleet).Create(f.t.Context(), u, metav1.CreateOptions{FieldManager: "somebody"})
	require.NoError(f.t, err)
}

// dying lets a number of writes pass and then ends the process, as far as the
// API server can tell.
type dying struct {
	http.RoundTripper
	left *atomic.Int64
	die  func()
}

func (d dying) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && d.left.Add(-1) < 0 {
		d.die()
		return nil, errors.New("the process is dead")
	}
	return d.RoundTripper.RoundTrip(r)
}

// applyDying applies a set in a process that ends after a number of writes, and reports whether all was done before.
func (f *fixture) applyDying(writes int64, applier func(*rest.Config) *apply.Applier, set render.Set) (done bool) {
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	left := &atomic.Int64{}
	left.Store(writes)
	cfg := rest.CopyConfig(f.Config)
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return dying{rt, left, cancel} })
	return applier(cfg).Apply(ctx, []render.Set{set}).Err == nil
}

// TestCrashAnywhere kills an update between any two of its writes: the next
// process must converge, and nothing may be lost track of.
func TestCrashAnywhere(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	for survive, done := int64(0), false; !done; survive++ {
		require.Less(t, survive, int64(30), "the update never ends")
		app := fmt.Sprintf("app%d", survive)
		before := f.set(app, configMap(app+"-stays", "1"), configMap(app+"-goes", "1"), claim0(app))
		after := f.set(app, configMap(app+"-stays", "2"), configMap(app+"-new", "1"))
		f.apply(f.applier(), before)

		done = f.applyDying(survive, f.applierFor, after)

		f.apply(f.applier(), after)
		require.True(t, f.exists(configMaps, app+"-new"), survive)
		require.False(t, f.exists(configMaps, app+"-goes"), survive)
		require.True(t, f.exists(claims, app+"-data"), survive)
		require.Equal(t, apply.Requests{}, f.apply(f.applier(), after).Requests, survive)
		f.apply(f.applier(), f.set(app))
		require.False(t, f.exists(configMaps, app+"-new"), survive)
	}
}

func claim0(app string) string { return strings.ReplaceAll(claim, "name: data", "name: "+app+"-data") }
