package render

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// mapped renders a kustomize component with mapNamespace of resources in k/a.yaml.
func mapped(t testing.TB, kustomization, objects string) (Set, error) {
	s := readScenario(t, []byte(`
kinds: [ConfigMap, Namespace]
components: [{name: k, type: kustomize, properties: {path: k, mapNamespace: true}}]`))
	return Application(s.input(t, mapFS("k/kustomization.yaml", kustomization, "k/a.yaml", objects)))
}

// The one namespace of a kustomization becomes that of the application, and its Namespace
// is left out; what that was can be read on the objects.
func TestNamespaceIsMapped(t *testing.T) {
	set, err := mapped(t, "namespace: theirs\nresources: [a.yaml]", "{apiVersion: v1, kind: Namespace, metadata: {name: any}}\n---\n"+configMap)
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
	require.Equal(t, "acme", set.Objects[0].Object.GetNamespace())
	require.Equal(t, "theirs", set.Objects[0].Object.GetAnnotations()[AnnotationNamespace])

	set, err = mapped(t, "resources: [a.yaml]", configMap)
	require.NoError(t, err)
	require.NotContains(t, set.Objects[0].Object.GetAnnotations(), AnnotationNamespace)
}

// Objects of two namespaces, a Namespace that they are not in, and an annotation that an
// owner writes are refused.
func TestAttack16MappedNamespace(t *testing.T) {
	in := func(name, namespace string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: " + namespace + "}}\n---\n"
	}
	for objects, message := range map[string]string{
		in("a", "one") + in("b", "two"): "DA1706 application.components.k.properties.mapNamespace: has objects in namespaces one and two",
		in("a", "one") + "{apiVersion: v1, kind: Namespace, metadata: {name: globex}}":                                                           "DA1705",
		"{apiVersion: v1, kind: Namespace, metadata: {name: one}}":                                                                               "DA1705",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: one, annotations: {d-aros.dev/declared-namespace: x}}}":                "DA1707",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: a}, subjects: [{kind: ServiceAccount, name: a}]}": "DA1705",
	} {
		set, err := mapped(t, "resources: [a.yaml]", objects)
		require.ErrorContains(t, err, message)
		require.Empty(t, set.Objects)
	}
}
