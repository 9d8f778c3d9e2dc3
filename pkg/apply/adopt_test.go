package apply_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

const legacy = "{apiVersion: v1, kind: ConfigMap, data: {key: theirs, more: theirs}, metadata: {name: settings, labels: {app: legacy}, annotations: {meta.helm.sh/release-name: db, meta.helm.sh/release-namespace: ops}}}"

var (
	byName   = []model.Adoption{{Kind: "ConfigMap", Name: "settings"}}
	byLabels = []model.Adoption{{Selector: map[string]string{"app": "legacy"}}}
)

// adopting makes a set of shop that renders "settings" and adopts.
func (f *fixture) adopting(adopt []model.Adoption) render.Set {
	set := f.set("shop", configMap("settings", "ours"), configMap("own", "1"))
	set.Adopt = adopt
	return set
}

// inventoryOf returns what the inventory of shop says of an object.
func (f *fixture) inventoryOf(object string) string {
	value, _, _ := unstructured.NestedString(f.get(configMaps, "d-aros.inventory.shop").Object, "data", f.fleet+"_"+object+"__ConfigMap")
	return value
}

// TestAdoption: an object of others that an application names and renders is taken over,
// once and as a whole. It stays when nothing wants it any more, also after a restart,
// without its inventory and without its annotation, unless the entry says otherwise.
func TestAdoption(t *testing.T) {
	for name, adopt := range map[string][]model.Adoption{"by name": byName, "by labels": byLabels} {
		for _, prune := range []bool{false, true} {
			adopt := []model.Adoption{adopt[0]}
			adopt[0].Prune = prune
			end, after := apply.Kept, " adopted-keep"
			if prune {
				name, end, after = name+", to be pruned", apply.Pruned, " adopted-prune"
			}
			t.Run(name, func(t *testing.T) {
				f := setup(t)
				a := f.applier()
				f.apply(a, f.tenant())
				theirs := f.make("helm", legacy)
				set := f.adopting(adopt)

				r := f.apply(a, set)
				res := f.result(r, "shop", "ConfigMap/settings")
				require.Equal(t, apply.Adopted, res.Action)
				require.Equal(t, "data.key (held by helm)", res.What())
				require.Equal(t, []string{"ConfigMap " + f.fleet + "/settings was adopted; changed fields: data.key (held by helm)"}, r.Sets[0].Notices)
				now := f.get(configMaps, "settings")
				require.Equal(t, theirs.GetUID(), now.GetUID(), "it was taken over and not made again")
				require.Equal(t, map[string]any{"key": "ours", "more": "theirs"}, now.Object["data"])
				require.Equal(t, f.fleet+"/"+f.fleet+"/shop", now.GetAnnotations()[render.AnnotationOwner])
				require.Equal(t, string(now.GetUID())+after, f.inventoryOf("settings"))
				f.settles(a, set)
				restarted := f.applier()
				f.apply(restarted, set)
				f.settles(restarted, set)

				f.delete(configMaps, "d-aros.inventory.shop") // it is made again, from the object
				third := f.applier()
				f.apply(third, set)
				require.Equal(t, string(now.GetUID())+after, f.inventoryOf("settings"))
				f.patch(configMaps, "settings", `{"metadata": {"annotations": {"d-aros.dev/adopted": null}}}`) // it comes back, from the inventory
				fourth := f.applier()
				f.apply(fourth, set)
				require.Equal(t, after, " adopted-"+f.get(configMaps, "settings").GetAnnotations()[render.AnnotationAdopted])

				for _, a := range []*apply.Applier{fourth, f.applier()} {
					r = f.apply(a, f.set("shop"))
					if a == fourth {
						require.Equal(t, end, actions(r, "shop")["ConfigMap/settings"])
					}
					require.Equal(t, !prune, f.exists(configMaps, "settings"))
					require.False(t, f.exists(configMaps, "own"), "what we created is pruned")
					require.False(t, f.exists(configMaps, "d-aros.inventory.shop"))
				}
			})
		}
	}
}

// TestAdoptionOfAComponent: what one component adopted stays when that component goes.
func TestAdoptionOfAComponent(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant())
	f.make("helm", legacy)
	f.apply(a, f.adopting(byName))
	r := f.apply(a, f.set("shop", configMap("own", "1")))
	require.Equal(t, apply.Kept, actions(r, "shop")["ConfigMap/settings"])
	require.True(t, f.exists(configMaps, "settings"))
	f.settles(a, f.set("shop", configMap("own", "1")))
}

// TestAdoptionIsForcedOnce: with conflicts reported, the fields are taken over once, and a
// field that others change later stays.
func TestAdoptionIsForcedOnce(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant())
	f.make("helm", legacy)
	set := f.adopting(byName)
	set.ReportConflicts = true
	f.apply(a, set)
	f.patch(configMaps, "settings", `{"data": {"key": "theirs again"}}`)
	f.drifts(a, "shop")
	res := f.result(a.Apply(t.Context(), []render.Set{set}), "shop", "ConfigMap/settings")
	require.Equal(t, model.OutcomeConflict, res.Reason)
}

// TestPruneOfAnAdoptionChanges: the entry decides as long as there is one.
func TestPruneOfAnAdoptionChanges(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant())
	f.make("helm", legacy)
	f.apply(a, f.adopting(byLabels))
	prune := []model.Adoption{byLabels[0]}
	prune[0].Prune = true
	f.apply(a, f.adopting(prune))
	require.Equal(t, string(f.get(configMaps, "settings").GetUID())+" adopted-prune", f.inventoryOf("settings"))
	f.apply(a, f.set("shop"))
	require.False(t, f.exists(configMaps, "settings"))
}

// TestAdoptionOfNothing: an entry that takes no object is said in a sentence, and changes
// nothing of what is applied. What has an owner to fight with is not taken over.
func TestAdoptionOfNothing(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant())
	f.make("helm", "{apiVersion: v1, kind: ConfigMap, metadata: {name: other, labels: {app: legacy}}}")
	r := f.apply(a, f.adopting(append(byLabels, byName...)))
	require.Empty(t, r.Sets[0].Notices)
	require.Equal(t, []apply.NotAdopted{
		{0, "application.adopt: none of the objects with app=legacy in namespace " + f.fleet + " has the name of an object that the application renders; correct the selector, or take it out"},
		{1, "application.adopt: there was no ConfigMap settings in namespace " + f.fleet + " to adopt; take the entry out"},
	}, r.Sets[0].NotAdopted)
	require.Equal(t, apply.Created, actions(r, "shop")["ConfigMap/settings"])
	require.Empty(t, f.get(configMaps, "settings").GetAnnotations()[render.AnnotationAdopted])
	f.apply(a, f.set("shop"))
	require.False(t, f.exists(configMaps, "settings"), "it was created, so it goes")
	require.True(t, f.exists(configMaps, "other"))

	for name, manifest := range map[string]string{
		"another fleet": "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {d-aros.dev/fleet: other}}}",
		"a controller":  "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: boss, uid: UID, controller: true}]}}",
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			a := f.applier()
			f.apply(a, f.tenant())
			boss := f.make("vim", "{apiVersion: v1, kind: ConfigMap, metadata: {name: boss}}")
			theirs := f.make("vim", strings.ReplaceAll(manifest, "UID", string(boss.GetUID())))
			res := f.result(a.Apply(t.Context(), []render.Set{f.adopting(byName)}), "shop", "ConfigMap/settings")
			require.Equal(t, model.OutcomeForeign, res.Reason)
			require.NotContains(t, res.Message, "adopt")
			require.Equal(t, theirs.GetResourceVersion(), f.get(configMaps, "settings").GetResourceVersion())
		})
	}
}

// TestOthersAreShown: what a set would meet is told with owner and fields, and nothing is
// changed by asking.
func TestOthersAreShown(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant())
	theirs := f.make("helm", legacy)
	ask := func(set render.Set) (said []string) {
		others, unmatched, err := f.applier().Others(t.Context(), []render.Set{f.tenant(), set})
		require.NoError(t, err)
		for i := range others {
			said = append(said, others[i].String())
		}
		return append(said, unmatched...)
	}
	require.Equal(t, []string{f.fleet + "/shop: ConfigMap " + f.fleet + "/settings is refused: it belongs to Helm release ops/db; fields that differ: data.key (held by helm)"},
		ask(f.adopting(nil)))
	require.Equal(t, []string{f.fleet + "/shop: ConfigMap " + f.fleet + "/settings is adopted from Helm release ops/db; fields that differ: data.key (held by helm)"},
		ask(f.adopting(byName)))
	none := f.adopting([]model.Adoption{{Selector: map[string]string{"app": "other"}}})
	require.Contains(t, ask(none)[1], "application.adopt: none of the objects with app=other")
	require.Equal(t, theirs, f.get(configMaps, "settings"))
	require.False(t, f.exists(configMaps, "own"))

	f.apply(a, f.adopting(byName))
	require.Empty(t, ask(f.adopting(byName)), "what was adopted is ours")
}
