package apply_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// make creates an object as another manager does.
func (f *fixture) make(manager, manifest string) *unstructured.Unstructured {
	f.t.Helper()
	body, err := yaml.YAMLToJSON([]byte(manifest))
	require.NoError(f.t, err)
	u := &unstructured.Unstructured{}
	require.NoError(f.t, u.UnmarshalJSON(body))
	made, err := f.dynamic.Resource(configMaps).Namespace(f.fleet).Create(f.t.Context(), u, metav1.CreateOptions{FieldManager: manager})
	require.NoError(f.t, err)
	return made
}

// serverSideApply applies an object as another manager does.
func (f *fixture) serverSideApply(manager, manifest string) *unstructured.Unstructured {
	f.t.Helper()
	var head struct{ Metadata metav1.ObjectMeta }
	require.NoError(f.t, yaml.Unmarshal([]byte(manifest), &head))
	u, err := f.dynamic.Resource(configMaps).Namespace(f.fleet).Patch(f.t.Context(), head.Metadata.Name, types.ApplyPatchType, []byte(manifest),
		metav1.PatchOptions{FieldManager: manager})
	require.NoError(f.t, err)
	return u
}

// result returns the result of one object.
func (f *fixture) result(r apply.Report, app, object string) apply.Result {
	f.t.Helper()
	set, ok := r.Find(model.AppID{Tenant: f.fleet, Name: app})
	require.True(f.t, ok)
	for _, res := range set.Results {
		if res.Kind+"/"+res.Name == object {
			return res
		}
	}
	require.Failf(f.t, "no result", "%s in %+v", object, set)
	return apply.Result{}
}

// TestAttack24ForeignObjects: what others made keeps content and version while an
// application wants an object of its name, after a restart, and after the application has ended.
func TestAttack24ForeignObjects(t *testing.T) {
	const head = "{apiVersion: v1, kind: ConfigMap, data: {key: theirs}, metadata: {name: settings, "
	for name, c := range map[string]struct {
		make  func(f *fixture) *unstructured.Unstructured
		owner string
	}{
		"Helm": {func(f *fixture) *unstructured.Unstructured {
			return f.make("helm", head+"labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: db, meta.helm.sh/release-namespace: ops}}}")
		}, "Helm release ops/db"},
		"Argo CD": {func(f *fixture) *unstructured.Unstructured {
			return f.serverSideApply("argocd-controller", head+"annotations: {argocd.argoproj.io/tracking-id: 'site:/ConfigMap:x/settings'}}}")
		}, "Argo CD application site"},
		"Flux": {func(f *fixture) *unstructured.Unstructured {
			return f.serverSideApply("kustomize-controller", head+"labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}}}")
		}, "Flux Kustomization flux-system/apps"},
		"HelmRelease of Flux": {func(f *fixture) *unstructured.Unstructured {
			return f.make("helm-controller", head+"labels: {helm.toolkit.fluxcd.io/name: db}, annotations: {meta.helm.sh/release-name: db}}}")
		}, "Flux HelmRelease db"},
		"a person": {func(f *fixture) *unstructured.Unstructured {
			return f.make("kubectl-create", head+"}}")
		}, "the field manager kubectl-create"},
		"another fleet": {func(f *fixture) *unstructured.Unstructured {
			return f.serverSideApply(apply.FieldManager, head+"labels: {d-aros.dev/fleet: other}, annotations: {d-aros.dev/owner: other/acme/shop}}}")
		}, "fleet other (acme/shop)"},
		"another fleet of today's": {func(f *fixture) *unstructured.Unstructured {
			return f.serverSideApply(apply.FieldManager, head+"labels: {d-aros.dev/fleet: other, d-aros.dev/tenant: acme, d-aros.dev/application: web}}}")
		}, "fleet other (acme/web)"},
		"somebody who copied our labels": {func(f *fixture) *unstructured.Unstructured {
			return f.make("vim", head+"labels: {d-aros.dev/fleet: "+f.fleet+", d-aros.dev/tenant: "+f.fleet+", d-aros.dev/application: shop}, annotations: {d-aros.dev/owner: "+f.fleet+"/"+f.fleet+"/shop}}}")
		}, "the field manager vim"},
		"our field manager, without our labels": {func(f *fixture) *unstructured.Unstructured {
			return f.serverSideApply(apply.FieldManager, head+"}}")
		}, "the field manager d-aros"},
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			a := f.applier()
			f.apply(a, f.tenant())
			theirs := c.make(f)
			how := `, or take it over with application.adopt: [{kind: "ConfigMap", name: "settings"}]`
			if strings.HasPrefix(c.owner, "fleet ") {
				how = "" // that fleet would fight for it
			}
			set := f.set("shop", configMap("settings", "ours"), configMap("own", "1"))
			for _, a := range []*apply.Applier{a, a, f.applier()} {
				r := a.Apply(t.Context(), []render.Set{set})
				res := f.result(r, "shop", "ConfigMap/settings")
				require.Equal(t, apply.Failed, res.Action)
				require.Equal(t, model.OutcomeForeign, res.Reason)
				require.Equal(t, "ConfigMap "+f.fleet+"/settings: it exists already and belongs to "+c.owner+"; remove or rename one of the two"+how, res.Message)
				require.Equal(t, theirs, f.get(configMaps, "settings"))
			}
			require.True(t, f.exists(configMaps, "own"), "the other objects are applied")

			r := f.apply(a, f.set("shop"))
			require.Equal(t, apply.Kept, actions(r, "shop")["ConfigMap/settings"])
			require.Equal(t, theirs, f.get(configMaps, "settings"))
			require.False(t, f.exists(configMaps, "own"))

			t.Run("it is free again", func(t *testing.T) {
				f.delete(configMaps, "settings")
				f.eventually(func() bool { return a.Apply(t.Context(), []render.Set{set}).Sets[0].OK() }, "the object to be created")
				require.Equal(t, f.fleet+"/"+f.fleet+"/shop", f.get(configMaps, "settings").GetAnnotations()[render.AnnotationOwner])
			})
		})
	}
}

// TestTwoFleetsInOneNamespace: a copy of a fleet repo, run as another fleet, changes
// nothing, and neither fleet changes anything twice.
func TestTwoFleetsInOneNamespace(t *testing.T) {
	f := setup(t)
	a, b := f.applier(), f.applierWith(f.Config, apply.Options{Fleet: f.fleet + "-copy", Patience: patience})
	copied := *f
	sets := func(f *fixture, value string) []render.Set {
		return []render.Set{f.tenant(), f.set("shop", configMap("settings", value), deployment("web", "shop:"+value, "replicas: 0"))}
	}
	f.apply(a, sets(f, "2")...)
	before := f.versions()
	second := sets(&copied, "1")
	for i := range second {
		for j := range second[i].Objects {
			o := &second[i].Objects[j]
			labels := o.Object.GetLabels()
			labels[render.LabelFleet] = f.fleet + "-copy"
			o.Object.SetLabels(labels)
			*o = seal(t, *o)
		}
	}
	for range 2 {
		r := b.Apply(t.Context(), second)
		require.NoError(t, r.Err)
		res := f.result(r, "", "Namespace/"+f.fleet)
		require.Equal(t, model.OutcomeForeign, res.Reason)
		require.Contains(t, res.Message, "belongs to fleet "+f.fleet+" ("+f.fleet+")")
		require.Equal(t, apply.Failed, f.result(r, "shop", "Namespace/"+f.fleet).Action, "each application tells of it")
		require.Equal(t, apply.Skipped, f.result(r, "shop", "ConfigMap/settings").Action)
		// Later passes bring the application alone.
		r = b.Apply(t.Context(), second[1:])
		require.Equal(t, model.OutcomeForeign, f.result(r, "shop", "Namespace/"+f.fleet).Reason)
		r = b.Apply(t.Context(), []render.Set{{App: second[1].App, Namespace: f.fleet}})
		require.False(t, r.Sets[0].OK())
		require.Equal(t, before, f.versions())
		require.Equal(t, apply.Requests{}, f.apply(a, sets(f, "2")...).Requests)
	}
	require.Empty(t, a.Live().Drifted())
}

// TestInventoryIsNoComponent: component site of application d-aros has an object of the
// name that the inventory of application site had.
func TestInventoryIsNoComponent(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	f.asBefore("site", configMap("page", "1"))
	a := f.applier()
	component, site := f.set("d-aros", configMap("d-aros-site", "component")), f.set("site", configMap("page", "1"))

	r := a.Apply(t.Context(), []render.Set{component})
	require.Contains(t, f.result(r, "d-aros", "ConfigMap/d-aros-site").Message, "it belongs to application "+f.fleet+"/site")
	f.apply(a, site)
	f.eventually(func() bool { return a.Apply(t.Context(), []render.Set{component}).Sets[0].OK() }, "the name to be free")
	f.settles(a, component, site)
	require.Equal(t, "component", f.get(configMaps, "d-aros-site").Object["data"].(map[string]any)["key"])

	f.apply(f.applier(), f.set("site"))
	require.False(t, f.exists(configMaps, "page"))
	require.True(t, f.exists(configMaps, "d-aros-site"))
	f.apply(f.applier(), f.set("d-aros"))
	require.False(t, f.exists(configMaps, "d-aros-site"))
}

// asBefore puts objects into the cluster as a version without owners did, with their inventory.
func (f *fixture) asBefore(app string, manifests ...string) render.Set {
	f.t.Helper()
	set := f.set(app, manifests...)
	keys := map[string]string{}
	for _, o := range set.Objects {
		f.send(o)
		keys[f.fleet+"_"+o.Object.GetName()+"__ConfigMap"] = ""
	}
	inventory := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": keys}}
	inventory.SetName("d-aros-" + app)
	inventory.SetNamespace(f.fleet)
	inventory.SetLabels(map[string]string{render.LabelFleet: f.fleet, render.LabelTenant: f.fleet, render.LabelApplication: app,
		render.LabelManagedBy: render.ManagedBy, "cli-utils.sigs.k8s.io/inventory-id": "1"})
	body, err := json.Marshal(inventory.Object)
	require.NoError(f.t, err)
	f.send(render.Object{Object: inventory, JSON: body})
	return set
}

// TestInventoriesOfBefore: what a version without owners applied is taken over: one write
// of the inventory under its new name, and none of an object.
func TestInventoriesOfBefore(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	set := f.asBefore("shop", configMap("stays", "1"), configMap("goes", "1"))
	before := f.versions()
	a := f.applier()
	r := f.apply(a, set)
	require.Equal(t, apply.Requests{Apply: 1, Delete: 1}, r.Requests)
	after := f.versions()
	require.False(t, f.exists(configMaps, "d-aros-shop"))
	uid := string(f.get(configMaps, "stays").GetUID())
	require.Equal(t, uid, f.get(configMaps, "d-aros.inventory.shop").Object["data"].(map[string]any)[f.fleet+"_stays__ConfigMap"])
	delete(before, "configmaps/d-aros-shop")
	delete(after, "configmaps/d-aros.inventory.shop")
	require.Equal(t, before, after)
	f.settles(a, set)

	f.apply(f.applier(), f.set("shop", configMap("stays", "1")))
	require.False(t, f.exists(configMaps, "goes"))
	require.True(t, f.exists(configMaps, "stays"))
}

// TestForeignInventory: what has the name of an inventory and is not ours stays, and
// nothing is created that no inventory would list.
func TestForeignInventory(t *testing.T) {
	for name, labels := range map[string]string{"plain": "", "with copied labels": "labels: {d-aros.dev/fleet: FLEET, d-aros.dev/tenant: FLEET, d-aros.dev/application: shop, cli-utils.sigs.k8s.io/inventory-id: x}"} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			a := f.applier()
			f.apply(a, f.tenant())
			theirs := f.make("vim", "{apiVersion: v1, kind: ConfigMap, metadata: {name: d-aros.inventory.shop, "+strings.ReplaceAll(labels, "FLEET", f.fleet)+"}, data: {a: b}}")
			r := a.Apply(t.Context(), []render.Set{f.set("shop", configMap("settings", "1"))})
			res := f.result(r, "shop", "ConfigMap/d-aros.inventory.shop")
			require.Equal(t, model.OutcomeForeign, res.Reason)
			require.Contains(t, res.Message, "the field manager vim")
			require.False(t, f.exists(configMaps, "settings"))
			require.Equal(t, theirs, f.get(configMaps, "d-aros.inventory.shop"))
		})
	}
}

// meanwhile does something once, right before the first write to a path.
type meanwhile struct {
	http.RoundTripper
	path string
	once *sync.Once
	do   func()
}

func (m meanwhile) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, m.path) {
		m.once.Do(m.do)
	}
	return m.RoundTripper.RoundTrip(r)
}

// TestRaceForAName: others create an object, or put one in the place of ours, after we
// looked and before our request arrives.
func TestRaceForAName(t *testing.T) {
	for _, name := range []string{"create", "change"} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			f.apply(f.applier(), f.tenant())
			if name == "change" {
				f.apply(f.applier(), f.set("shop", configMap("settings", "0")))
			}
			var theirs *unstructured.Unstructured
			race := meanwhile{path: "/configmaps/settings", once: &sync.Once{}, do: func() {
				if name == "change" {
					f.delete(configMaps, "settings")
				}
				theirs = f.make("vim", configMap("settings", "theirs"))
			}}
			cfg := rest.CopyConfig(f.Config)
			cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { race.RoundTripper = rt; return race })
			r := f.applierFor(cfg).Apply(t.Context(), []render.Set{f.set("shop", configMap("settings", "1"))})
			require.Equal(t, model.OutcomeForeign, f.result(r, "shop", "ConfigMap/settings").Reason)
			require.NotNil(t, theirs)
			require.Equal(t, theirs, f.get(configMaps, "settings"))
		})
	}
}

// TestAttack24Fight: a field that another manager changes again and again is put back at once
// three times in ten minutes, then ever more slowly, and named. What is declared is
// applied and pruned meanwhile.
func TestAttack24Fight(t *testing.T) {
	f := setup(t)
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	a := f.applierWith(f.Config, apply.Options{Fleet: f.fleet, Patience: patience, Now: func() time.Time { return now }})
	set := f.set("shop", configMap("settings", "1"), configMap("goes", "1"))
	f.apply(a, f.tenant(), set)
	a.Live().Drifted()
	fight := func() apply.Result {
		t.Helper()
		f.patch(configMaps, "settings", `{"data": {"key": "theirs"}}`)
		f.drifts(a, "shop")
		return f.result(a.Apply(t.Context(), []render.Set{set}), "shop", "ConfigMap/settings")
	}
	for range 3 {
		require.Equal(t, apply.Corrected, fight().Action)
		now = now.Add(time.Minute)
	}
	now = now.Add(-time.Minute)
	for wait := time.Minute; wait <= 8*time.Minute; wait *= 2 {
		res := fight()
		require.Equal(t, apply.Failed, res.Action, wait)
		require.Equal(t, model.OutcomeConflict, res.Reason)
		require.Equal(t, "data.key", res.Field)
		require.Contains(t, res.Message, "data.key was changed by somebody again each time that it was put back; the next correction waits "+wait.String())
		now = now.Add(wait)
		require.Equal(t, apply.Corrected, f.result(a.Apply(t.Context(), []render.Set{set}), "shop", "ConfigMap/settings").Action)
	}
	fight()
	set = f.set("shop", configMap("settings", "1"), configMap("new", "1"))
	r := a.Apply(t.Context(), []render.Set{set})
	require.Equal(t, map[string]apply.Action{
		"ConfigMap/settings": apply.Failed, "ConfigMap/new": apply.Created, "ConfigMap/goes": apply.Pruned,
	}, actions(r, "shop"))
	set = f.set("shop", configMap("settings", "2"), configMap("new", "1"))
	require.Equal(t, apply.Configured, f.result(f.apply(a, set), "shop", "ConfigMap/settings").Action, "a new declaration does not wait")

	now = now.Add(2 * time.Hour)
	require.Equal(t, apply.Corrected, fight().Action)
	require.Equal(t, apply.Corrected, fight().Action, "after a long peace it is no fight")
}

// TestConflictsAreReported: with policy.conflicts "report" the fields of others stay as they
// are, and they are named.
func TestConflictsAreReported(t *testing.T) {
	f := setup(t)
	a := f.applier()
	set := f.set("shop", configMap("settings", "1"))
	set.ReportConflicts = true
	f.apply(a, f.tenant(), set)
	a.Live().Drifted()
	f.patch(configMaps, "settings", `{"data": {"key": "theirs"}}`)
	f.drifts(a, "shop")
	for _, a := range []*apply.Applier{a, f.applier()} {
		res := f.result(a.Apply(t.Context(), []render.Set{set}), "shop", "ConfigMap/settings")
		require.Equal(t, model.OutcomeConflict, res.Reason)
		require.Equal(t, "data.key", res.Field)
		require.Contains(t, res.Message, "data.key (changed by somebody)")
		require.Equal(t, "theirs", f.get(configMaps, "settings").Object["data"].(map[string]any)["key"])
	}
	// Inventories are always put right: nothing could be created otherwise.
	f.patch(configMaps, "d-aros.inventory.shop", `{"data": {"`+f.fleet+`_more__ConfigMap": "theirs"}}`)
	more := f.set("shop", configMap("settings", "1"), configMap("more", "1"))
	more.ReportConflicts = true
	require.Equal(t, apply.Created, f.result(a.Apply(t.Context(), []render.Set{more}), "shop", "ConfigMap/more").Action)
	set.ReportConflicts = false
	f.eventually(func() bool { return count(a.Apply(t.Context(), []render.Set{set}), apply.Corrected) == 1 }, "the field to be put back")
}

// TestClusterFromABackup: a restored cluster has the same objects under other UIDs. They
// are recognized by their owner; what others made in the place of one is not.
func TestClusterFromABackup(t *testing.T) {
	f := setup(t)
	a := f.applier()
	set := f.set("shop", configMap("settings", "1"), configMap("goes", "1"), configMap("replaced", "1"))
	set.Ledger = "0123456789abcdef"
	f.apply(a, f.tenant(), set)
	grown := f.set("shop", configMap("settings", "1"), configMap("goes", "1"), configMap("replaced", "1"), configMap("more", "1"))
	grown.Ledger = set.Ledger
	f.apply(a, grown) // writes the UIDs of those before
	data := f.get(configMaps, "d-aros.inventory.shop").Object["data"].(map[string]any)
	require.Equal(t, string(f.get(configMaps, "settings").GetUID()), data[f.fleet+"_settings__ConfigMap"])
	a.Close()

	for _, name := range []string{"settings", "goes", "replaced", "more", "d-aros.inventory.shop"} {
		u := f.get(configMaps, name)
		f.delete(configMaps, name)
		managed := u.GetManagedFields()
		u.SetUID("")
		u.SetResourceVersion("")
		if name == "replaced" {
			u.SetManagedFields(nil)
		}
		made, err := f.dynamic.Resource(configMaps).Namespace(f.fleet).Create(t.Context(), u, metav1.CreateOptions{FieldManager: "velero"})
		require.NoError(t, err)
		if name != "replaced" {
			made.SetManagedFields(managed)
			_, err = f.dynamic.Resource(configMaps).Namespace(f.fleet).Update(t.Context(), made, metav1.UpdateOptions{FieldManager: "velero"})
			require.NoError(t, err)
		}
	}
	replaced := f.get(configMaps, "replaced")
	b := f.applier()
	r := b.Apply(t.Context(), []render.Set{grown})
	require.Equal(t, map[string]apply.Action{"ConfigMap/settings": apply.Unchanged, "ConfigMap/goes": apply.Unchanged,
		"ConfigMap/replaced": apply.Failed, "ConfigMap/more": apply.Unchanged}, actions(r, "shop"))
	require.Equal(t, replaced, f.get(configMaps, "replaced"))

	f.delete(configMaps, "replaced")
	f.eventually(func() bool { return b.Apply(t.Context(), []render.Set{grown}).Sets[0].OK() }, "the name to be free")
	require.Equal(t, string(f.get(configMaps, "settings").GetUID()), f.get(configMaps, "d-aros.inventory.shop").Object["data"].(map[string]any)[f.fleet+"_settings__ConfigMap"])

	ended := f.set("shop")
	ended.Ledger = set.Ledger
	f.apply(b, ended)
	for _, name := range []string{"settings", "goes", "more", "replaced"} {
		require.False(t, f.exists(configMaps, name), name)
	}
}
