package kustomize

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// upstream is what kustomize itself builds from a directory as it was written, without
// restrictions. It is only asked about files that Read has accepted.
func upstream(t testing.TB, files fs.FS, dir string) ([]json.RawMessage, error) {
	memory := filesys.MakeFsInMemory()
	require.NoError(t, fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		return memory.WriteFile("/app/"+p, b)
	}))
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	built, err := krusty.MakeKustomizer(options).Run(memory, path.Join("/app", dir))
	if err != nil {
		return nil, err
	}
	var objects []json.RawMessage
	for _, r := range built.Resources() {
		encoded, err := r.MarshalJSON()
		require.NoError(t, err)
		objects = append(objects, encoded)
	}
	return objects, nil
}

// requireEqual demands that a directory that is accepted builds to what kustomize
// builds, object by object, or that neither builds.
func requireEqual(t testing.TB, files fs.FS, dir string) {
	read, err := kustomization(files, dir)
	require.NoError(t, err)
	got := read.Build()
	want, err := upstream(t, files, dir)
	if err != nil {
		require.NotEmpty(t, got.Failed, "kustomize: %v", err)
		return
	}
	require.Empty(t, got.Failed)
	require.ElementsMatch(t, want, got.Objects)
}

// kustomization reads a directory that builds on nothing else.
func kustomization(files fs.FS, dir string) (Kustomization, error) {
	return NewReader(files, nil).Read(dir)
}

// written is a tree of files that are given as names and texts.
func written(files ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		out[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return out
}

// generated has a map whose name depends on its content, and a reference to it.
const generated = "configMapGenerator: [{name: a, literals: [k=v]}]\n"

// A patch in a file and one that is written inline keep the end of their text as
// kustomize keeps it: data and the digest in a name depend on it.
func TestEndOfAPatch(t *testing.T) {
	patch := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  script: |\n    exit 0\n"
	inline := "  " + strings.ReplaceAll(strings.TrimSuffix(patch, "\n"), "\n", "\n    ")
	for name, text := range map[string]string{
		"file":                "patches: [{path: p.yaml}]\n",
		"file, old form":      "patchesStrategicMerge: [p.yaml]\n",
		"inline":              "patches:\n- patch: |\n  " + inline + "\n",
		"inline, cut":         "patches:\n- patch: |-\n  " + inline + "\n",
		"inline, kept":        "patches:\n- patch: |+\n  " + inline + "\n\n\n",
		"inline, old form":    "patchesStrategicMerge:\n- |\n  " + inline + "\n",
		"inline old form cut": "patchesStrategicMerge:\n- |-\n  " + inline + "\n",
	} {
		for end, file := range map[string]string{"newline": patch, "no newline": strings.TrimSuffix(patch, "\n"), "newlines": patch + "\n\n"} {
			t.Run(name+"/"+end, func(t *testing.T) {
				requireEqual(t, written("k/kustomization.yaml", generated+text, "k/p.yaml", file), "k")
			})
		}
	}
}

// Kustomize makes changes in an order of its own; the deprecated fields have other places
// in it than their successors.
func TestOrderOfChanges(t *testing.T) {
	object := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {stage: dev}}\n"
	for name, text := range map[string]string{
		"operations after labels":  "commonLabels: {stage: prod}\npatchesJson6902: [{target: {version: v1, kind: ConfigMap, name: a}, patch: '[{\"op\": \"replace\", \"path\": \"/metadata/labels/stage\", \"value\": \"test\"}]'}]",
		"operations after prefix":  "namePrefix: b-\npatchesJson6902: [{target: {version: v1, kind: ConfigMap, name: a}, path: o.yaml}]",
		"merge before other merge": "patches: [{path: p.yaml}]\npatchesStrategicMerge: [q.yaml]",
		"labels before common":     "commonLabels: {stage: prod}\nlabels: [{pairs: {stage: test}}]",
		"images":                   "images: [{name: x, newTag: '1'}]\nimageTags: [{name: x, newTag: '2'}]",
	} {
		t.Run(name, func(t *testing.T) {
			requireEqual(t, written("k/kustomization.yaml", "resources: [a.yaml, d.yaml]\n"+text, "k/a.yaml", object,
				"k/d.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: d}, spec: {containers: [{name: x, image: x}]}}",
				"k/o.yaml", "- op: replace\n  path: /metadata/name\n  value: c\n",
				"k/p.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: first}}",
				"k/q.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: second}}"), "k")
		})
	}
}

// FuzzEndOfAPatch: whatever a value in a patch ends with, the build is that of kustomize.
func FuzzEndOfAPatch(f *testing.F) {
	for _, value := range []string{"x", "x\n", "x\n\n", "", "\n", " x", "x ", "x\r\n", "- a\n", "#", "---\n", "\ttab\n", "é\n"} {
		f.Add(value, true)
		f.Add(value, false)
	}
	f.Fuzz(func(t *testing.T, value string, cut bool) {
		patch := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  script: |\n    " + strings.ReplaceAll(value, "\n", "\n    ")
		if !cut {
			patch += "\n"
		}
		encoded, err := json.Marshal(patch)
		require.NoError(t, err)
		for _, text := range []string{"patches: [{path: p.yaml}]", "patchesStrategicMerge: [p.yaml]", "patches: [{patch: " + string(encoded) + "}]", "patchesStrategicMerge: [" + string(encoded) + "]"} {
			files := written("k/kustomization.yaml", generated+text, "k/p.yaml", patch)
			if _, err := kustomization(files, "k"); err == nil {
				requireEqual(t, files, "k")
			}
		}
	})
}

// Files as editors and other systems write them build to what kustomize builds of them.
func TestOddFiles(t *testing.T) {
	object := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  script: |\n    exit 0\n"
	for name, text := range map[string]string{
		"CRLF":            strings.ReplaceAll(object, "\n", "\r\n"),
		"BOM":             "\uFEFF" + object,
		"JSON":            `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "é\u0000b"}}`,
		"empty documents": "---\n---\n" + object + "---\n# nothing\n---\n",
		"end of document": object + "...\n",
		"anchors":         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: &l {a: b}, annotations: *l}\ndata: {<<: *l, c: d}\n",
		"numbers":         object + "  n: \"0777\"\n  o: 0o17\n  f: 1e3\n  t: 2001-01-01\n  y: yes\n",
		"no newline":      strings.TrimSuffix(object, "\n"),
		"two of a list":   "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n",
		"nothing":         "",
		"comments only":   "# nothing\n",
	} {
		t.Run(name, func(t *testing.T) {
			requireEqual(t, written("k/kustomization.yaml", strings.ReplaceAll("resources:\n- a.yaml\n- b.yaml\nlabels:\n- pairs: {a: b}\n", "\n", "\r\n"), "k/a.yaml", text, "k/b.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: b}}"), "k")
		})
	}
}
