package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/types"
)

// FuzzKustomization: whatever a kustomization says, reading it ends, and what is
// written anew has no reference that somebody else wrote and nothing but known fields.
func FuzzKustomization(f *testing.F) {
	for _, seed := range []string{
		"resources: [a.yaml, ../b]", "components: [../b]", "patches: [{path: a.yaml}, {patch: '[{op: copy}]'}]", "bases: ['http://example.com']",
		"configMapGenerator: [{name: a, files: [k=a.yaml], envs: [e], env: e, literals: [a=b]}]", "openapi: {path: a}", "replacements: [{path: a.yaml}]",
		"commonLabels: {a: b}\nlabels: [{pairs: {c: d}}]", "a: &a [*a]", "? {a: b}\n: c", "patchesStrategicMerge: [a.yaml, \"{}\"]", "imageTags: [{name: a}]",
	} {
		f.Add(seed, configMap)
	}
	f.Fuzz(func(t *testing.T, text, object string) {
		files := fstest.MapFS{
			"k/kustomization.yaml": {Data: []byte(text)}, "k/a.yaml": {Data: []byte(object)}, "k/e": {Data: []byte("A=1")},
			"b/kustomization.yaml": {Data: []byte("resources: [c.yaml]")}, "b/c.yaml": {Data: []byte(object)},
		}
		tree, err := newTree(files)
		require.NoError(t, err)
		g, root, err := newGraph(tree, "k")
		if err != nil {
			return
		}
		written, err := g.memory.ReadFile(root + "/kustomization.yaml")
		require.NoError(t, err)
		var k types.Kustomization
		require.NoError(t, k.Unmarshal(written))
		require.Empty(t, refused(k))
		refs := append(append([]string{}, k.Resources...), k.Components...)
		for _, p := range k.Patches {
			require.Empty(t, p.Path)
		}
		for _, r := range k.Replacements {
			refs = append(refs, r.Path)
		}
		for _, c := range k.ConfigMapGenerator {
			refs = append(refs, c.EnvSources...)
			for _, source := range c.FileSources {
				_, ref, _ := strings.Cut(source, "=")
				refs = append(refs, ref)
			}
		}
		for _, ref := range refs {
			require.Regexp(t, `^(\.\./k\d{4}|f\d{5}|)$`, ref)
		}
		_, _ = build(tree, "k") // ends without a panic
	})
}

// FuzzDocuments: what passes has no more than it says when it is read.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte("a: &a [1]\nb: [*a, *a]"))
	f.Add([]byte("<<: {a: b}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		docs, err := documents(b)
		if err == nil {
			for _, d := range docs {
				d.field("kind")
				aliased(d.root())
			}
		}
	})
}

// FuzzRaw: whatever an object says, it is refused or carries our labels in our
// namespace.
func FuzzRaw(f *testing.F) {
	for _, seed := range []string{
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`,
		`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "ghcr.io/acme/a"}]}}`,
		`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": 1, "template": {"metadata": {}, "spec": {}}}}`,
		`{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}, "spec": {"maxReplicas": 1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		in := readScenario(t, []byte(`
kinds: [ConfigMap, Deployment, Service, DaemonSet, Pod, HorizontalPodAutoscaler, Secret, Job, CronJob, StatefulSet]
registries: [ghcr.io/acme]
components: [{name: r, type: raw, requests: {cpu: 100m, memory: 64Mi}}]`)).input(t, nil)
		in.Instance.Spec.Components[0].Properties = slices.Concat([]byte(`{"objects": [`), object, []byte(`]}`))
		in.Instance.Components[0].Spec = "" // of the accepted spec, whatever that is
		if !json.Valid(in.Instance.Spec.Components[0].Properties) {
			return // a spec is JSON that the evaluator wrote
		}
		set, err := Application(in)
		if err != nil {
			require.Empty(t, set.Objects)
			return
		}
		for _, o := range set.Objects {
			require.Equal(t, "acme", o.Object.GetNamespace())
			require.Equal(t, "r", o.Object.GetLabels()[LabelComponent])
		}
	})
}
