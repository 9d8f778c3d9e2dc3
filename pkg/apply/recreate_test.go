package apply_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// anew gives sets the right to make objects anew.
func anew(s render.Set) render.Set {
	s.Recreate = true
	return s
}

// locked is a ConfigMap that cannot be changed.
func locked(name, value string) string {
	return "{apiVersion: v1, kind: ConfigMap, immutable: true, metadata: {name: " + name + "}, data: {key: " + value + "}}"
}

// TestMadeAnew: what cannot be changed is deleted and made anew where that is allowed.
func TestMadeAnew(t *testing.T) {
	f := setup(t)
	a := f.applier()
	selector := func(app string) string {
		return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {own: ` + app + `}},
  template: {metadata: {labels: {own: ` + app + `}}, spec: {nodeSelector: {d-aros.dev/pool: general}, containers: [{name: web, image: "shop:1"}]}}}}`
	}
	f.apply(a, f.tenant(), f.set("shop", locked("settings", "one"), selector("one")))
	was := f.get(configMaps, "settings").GetUID()
	set := f.set("shop", locked("settings", "two"), selector("two"))
	r := a.Apply(t.Context(), []render.Set{set})
	for _, object := range []string{"ConfigMap/settings", "Deployment/web"} {
		require.Equal(t, model.OutcomeImmutable, f.result(r, "shop", object).Reason, object)
	}
	require.Equal(t, was, f.get(configMaps, "settings").GetUID())

	set = anew(set)
	r = a.Apply(t.Context(), []render.Set{set})
	made := f.result(r, "shop", "ConfigMap/settings")
	require.Equal(t, apply.Created, made.Action, made.Message)
	require.Contains(t, made.Message, "was deleted and made anew, because data cannot be changed")
	require.NotEqual(t, was, f.get(configMaps, "settings").GetUID())
	f.settles(a, set) // the pods of a Deployment end before it
	match, err := f.Clientset.AppsV1().Deployments(f.fleet).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"own": "two"}, match.Spec.Selector.MatchLabels)
}

// TestDataIsNotMadeAnew: nothing is deleted with which data may go, that others made, or that the API
// server would not take anew.
func TestDataIsNotMadeAnew(t *testing.T) {
	stateful := func(name, service, claims string) string {
		return `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: ` + name + `}, spec: {replicas: 0, serviceName: ` + service + `, selector: {matchLabels: {own: db}},
  template: {metadata: {labels: {own: db}}, spec: {containers: [{name: db, image: "db:1"}]}}` + claims + `}}`
	}
	const template = `, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]`
	claimOf := func(mode string) string {
		return "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [" + mode + "], resources: {requests: {storage: 1Gi}}}}"
	}
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("shop", claimOf("ReadWriteOnce"), stateful("db", "one", template), stateful("plain", "one", ""),
		locked("filled", "one"), locked("bad", "one")))
	f.patch(configMaps, "bad", `{"metadata": {"labels": {"theirs": "1"}}}`)
	filled := f.get(configMaps, "filled")
	require.NoError(t, f.dynamic.Resource(configMaps).Namespace(f.fleet).Delete(t.Context(), "filled", metav1.DeleteOptions{}))
	f.apply(a, f.set("shop", claimOf("ReadWriteOnce"), stateful("db", "one", template), stateful("plain", "one", ""),
		configMap("filled", "one"), locked("bad", "one")))
	f.patch(configMaps, "filled", `{"data": {"theirs": "1"}, "immutable": true}`)
	require.NotEqual(t, filled.GetUID(), f.get(configMaps, "filled").GetUID())

	before := map[string]string{}
	for _, name := range []string{"filled", "bad"} {
		before[name] = string(f.get(configMaps, name).GetUID())
	}
	r := a.Apply(t.Context(), []render.Set{anew(f.set("shop", claimOf("ReadWriteMany"), stateful("db", "two", template), stateful("plain", "two", ""),
		configMap("filled", "two"), "{apiVersion: v1, kind: ConfigMap, immutable: true, metadata: {name: bad}, data: {\"not a key!\": two}}"))})
	for object, reason := range map[string]model.Reason{
		"PersistentVolumeClaim/data": model.OutcomeImmutable, "StatefulSet/db": model.OutcomeImmutable,
		"ConfigMap/filled": model.OutcomeImmutable, "ConfigMap/bad": model.OutcomeInvalid,
	} {
		require.Equal(t, reason, f.result(r, "shop", object).Reason, "%s: %s", object, f.result(r, "shop", object).Message)
	}
	require.NotEqual(t, model.OutcomeImmutable, f.result(r, "shop", "StatefulSet/plain").Reason, "it has no claims")
	for name, uid := range before {
		require.Equal(t, uid, string(f.get(configMaps, name).GetUID()), name)
	}
	require.True(t, f.exists(claims, "data"))
}

// TestCrashWhileMadeAnew ends the process between any two writes of an update that makes an object anew.
func TestCrashWhileMadeAnew(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	for survive, done := int64(0), false; !done; survive++ {
		require.Less(t, survive, int64(20), "the update never ends")
		app := fmt.Sprintf("app%d", survive)
		f.apply(f.applier(), f.set(app, locked(app, "one")))
		after := anew(f.set(app, locked(app, "two")))

		done = f.applyDying(survive, f.applierFor, after)

		f.apply(f.applier(), after)
		require.Equal(t, "two", f.get(configMaps, app).Object["data"].(map[string]any)["key"], survive)
		f.settles(f.applier(), after)
	}
}
