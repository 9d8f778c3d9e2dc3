package apply_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

func TestFailureConcernsItsApplicationOnly(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("bad", configMap("leftover", "1"), deployment("web", "shop:1", "replicas: 0")))

	changed := strings.ReplaceAll(deployment("web", "shop:1", "replicas: 0"), "app: web", "app: changed")
	r := a.Apply(t.Context(), []render.Set{
		f.set("bad", changed,
			"{apiVersion: v1, kind: Secret, metadata: {name: key}, type: kubernetes.io/tls, data: {tls.crt: dG9wc2VjcmV0}}",
			"{apiVersion: example.com/v1, kind: Unknown, metadata: {name: x}}",
			configMap("fine", "1")),
		f.set("good", configMap("good", "1")),
	})
	require.NoError(t, r.Err)
	require.True(t, r.Sets[1].OK(), "%+v", r.Sets[1])
	require.Equal(t, map[string]apply.Action{
		"Deployment/web": apply.Failed, "Secret/key": apply.Failed, "Unknown/x": apply.Failed, "ConfigMap/fine": apply.Created,
	}, actions(r, "bad"), "nothing is pruned")
	require.True(t, f.exists(configMaps, "leftover"))

	messages := map[string]string{}
	for _, o := range r.Sets[0].Results {
		messages[o.Kind] = o.Message
	}
	require.Contains(t, messages["Deployment"], "spec.selector cannot be changed after creation")
	require.Contains(t, messages["Secret"], "its values are not repeated here")
	require.NotContains(t, messages["Secret"], "dG9wc2VjcmV0")
	require.Contains(t, messages["Unknown"], "the cluster does not know the kind Unknown.example.com")

	t.Run("it recovers", func(t *testing.T) {
		f.apply(a, f.set("bad", configMap("fine", "1")))
		require.False(t, f.exists(configMaps, "leftover"))
	})
}

func TestQuotaIsNamed(t *testing.T) {
	f := setup(t)
	a := f.applier()
	tenant := f.set("", "{apiVersion: v1, kind: Namespace, metadata: {name: "+f.fleet+"}}",
		"{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {persistentvolumeclaims: 0}}}")
	f.apply(a, tenant)
	f.eventually(func() bool {
		q, err := f.Clientset.CoreV1().ResourceQuotas(f.fleet).Get(t.Context(), "quota", metav1.GetOptions{})
		return err == nil && len(q.Status.Hard) > 0
	}, "quota in force")
	r := a.Apply(t.Context(), []render.Set{f.set("shop", claim)})
	require.Contains(t, r.Sets[0].Results[0].Message, "quota of the namespace is exceeded")
}

func TestForeignNamespaceIsNotTaken(t *testing.T) {
	f := setup(t)
	_, err := f.Clientset.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: f.fleet}}, metav1.CreateOptions{})
	require.NoError(t, err)
	a := f.applier()
	r := a.Apply(t.Context(), []render.Set{f.tenant()})
	require.Equal(t, apply.Failed, r.Sets[0].Results[0].Action)
	require.Contains(t, r.Sets[0].Results[0].Message, "belongs to the field manager apply.test; to hand it over, label it d-aros.dev/fleet="+f.fleet)

	f2 := fmt.Sprintf(`{"metadata": {"labels": {%q: %q}}}`, render.LabelFleet, f.fleet)
	_, err = f.Clientset.CoreV1().Namespaces().Patch(t.Context(), f.fleet, "application/merge-patch+json", []byte(f2), metav1.PatchOptions{})
	require.NoError(t, err)
	f.eventually(func() bool { return count(a.Apply(t.Context(), []render.Set{f.tenant()}), apply.Configured) == 1 }, "handed over")
}

func TestCancelIsPrompt(t *testing.T) {
	f := setup(t)
	a := f.applier()
	f.apply(a, f.tenant())
	var manifests []string
	for i := range 3000 {
		manifests = append(manifests, configMap(fmt.Sprintf("c%d", i), "1"))
	}
	set := f.set("huge", manifests...)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan apply.Report)
	go func() { done <- a.Apply(ctx, []render.Set{set}) }()
	f.eventually(func() bool {
		return len(a.Live().Objects(set.App)) > 50
	}, "some objects")
	cancel()
	r := <-done
	require.ErrorIs(t, r.Err, context.Canceled)
	require.Positive(t, count(r, apply.Created))
	require.Positive(t, count(r, apply.Skipped))
	require.Zero(t, count(r, apply.Failed))
	t.Logf("cancelled after %d objects", count(r, apply.Created))
}

func TestUnreachableServerEndsThePass(t *testing.T) {
	a, err := apply.New(&rest.Config{Host: "https://127.0.0.1:1"}, apply.Options{Fleet: "nobody"})
	require.NoError(t, err)
	defer a.Close()
	f := &fixture{t: t, fleet: "nobody"}
	r := a.Apply(t.Context(), []render.Set{f.set("shop", configMap("a", "1"))})
	require.Error(t, r.Err)
	require.Equal(t, apply.Skipped, r.Sets[0].Results[0].Action)
	require.NotEmpty(t, r.Sets[0].Results[0].Message)
}

func TestDefinitionAndItsObjectsInOnePass(t *testing.T) {
	f := setup(t)
	a := f.applier()
	group := f.fleet + ".example.com"
	crd := f.set("", fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}]
`, group), "{apiVersion: v1, kind: Namespace, metadata: {name: "+f.fleet+"}}")
	t.Cleanup(func() {
		_ = f.dynamic.Resource(crds).Delete(context.Background(), "widgets."+group, metav1.DeleteOptions{})
	})
	sets := []render.Set{crd, f.set("shop", "{apiVersion: "+group+"/v1, kind: Widget, metadata: {name: w}, spec: {size: 3}}")}
	f.apply(a, sets...)
	require.Equal(t, apply.Requests{}, f.apply(a, sets...).Requests)
	f.apply(a, f.set("shop"))
}
