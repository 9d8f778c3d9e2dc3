//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package kustomize

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/types"
)

const configMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`

// FuzzKustomization: whatever a kustomization says, reading it ends, and what is
// written anew has no reference that somebody else wrote and nothing but known fields.
func FuzzKustomization(f *testing.F) {
	for _, seed := range []string{
		"resources: [a.yaml, ../b]", "components: [../b]", "patches: [{path: a.yaml}, {patch: '[{op: copy}]'}]", "bases: ['http://example.com']",
		"configMapGenerator: [{name: a, files: [k=a.yaml], envs: [e], env: e, literals: [a=b]}]", "openapi: {path: a}", "replacements: [{path: a.yaml}]",
		"commonLabels: {a: b}\nlabels: [{pairs: {c: d}}]", "a: &a [*a]", "? {a: b}\n: c", "patchesStrategicMerge: [a.yaml, \"{}\"]", "imageTags: [{name: a}]",
		"resources: [a.yaml]\npatches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}'}]", "resources: [../b]\ncomponents: [../b]",
		"transformers: ['{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, path: a.yaml}', a.yaml]", "buildMetadata: [originAnnotations]", "vars: [{name: A}]",
	} {
		f.Add(seed, configMap)
	}
	f.Fuzz(func(t *testing.T, text, object string) {
		files := fstest.MapFS{
			"k/kustomization.yaml": {Data: []byte(text)}, "k/a.yaml": {Data: []byte(object)}, "k/e": {Data: []byte("A=1")},
			"b/kustomization.yaml": {Data: []byte("resources: [c.yaml]")}, "b/c.yaml": {Data: []byte(object)},
		}
		read, err := kustomization(files, "k")
		if err != nil {
			return
		}
		var k types.Kustomization
		require.NoError(t, k.Unmarshal(read.Files[read.Root+"/kustomization.yaml"]))
		require.Empty(t, refused(k))
		refs := slices.Concat(k.Resources, k.Bases, k.Components, k.Transformers)
		for _, p := range append(k.Patches, k.PatchesJson6902...) {
			refs = append(refs, p.Path)
		}
		for _, p := range k.PatchesStrategicMerge {
			refs = append(refs, string(p))
		}
		for _, r := range k.Replacements {
			refs = append(refs, r.Path)
		}
		for _, c := range k.ConfigMapGenerator {
			refs = append(append(refs, c.EnvSources...), c.EnvSource)
			for _, source := range c.FileSources {
				_, ref, _ := strings.Cut(source, "=")
				refs = append(refs, ref)
			}
		}
		for _, ref := range refs {
			require.Regexp(t, `^(\.\./k\d{4}|f\d{5}|)$`, ref)
		}
		if read.Build().Failed != "" { // and ends without a panic
			require.Regexp(t, `^((k|b)/kustomization.yaml:\d+: \w+(\.\d+)?)?$`, read.Locate())
		}
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
			}
		}
	})
}
