package kustomize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// located reads and builds a directory that kustomize does not build, and returns the place.
func located(t testing.TB, files ...string) string {
	read, err := kustomization(written(files...), "k")
	require.NoError(t, err)
	require.NotEmpty(t, read.Build().Failed)
	return read.Locate()
}

// What makes a build fail is found wherever it stands: among many, in a base, in a component,
// in a file of transformers.
func TestLocate(t *testing.T) {
	object := "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
	missing := "{apiVersion: v1, kind: ConfigMap, metadata: {name: nowhere}}"
	many := "resources: [a.yaml]\npatches:\n"
	for i := range 40 {
		patch := object
		if i == 23 {
			patch = missing
		}
		many += fmt.Sprintf("- patch: '%s'\n", patch)
	}
	for name, c := range map[string]struct {
		at    string
		files []string
	}{
		"first":       {"k/kustomization.yaml:1: resources.0", []string{"k/kustomization.yaml", "resources: [a.yaml, b.yaml]", "k/a.yaml", "{kind: ConfigMap}", "k/b.yaml", object}},
		"second":      {"k/kustomization.yaml:3: resources.1", []string{"k/kustomization.yaml", "resources:\n- a.yaml\n- b.yaml", "k/a.yaml", object, "k/b.yaml", object}},
		"among many":  {"k/kustomization.yaml:26: patches.23", []string{"k/kustomization.yaml", many, "k/a.yaml", object}},
		"base":        {"b/kustomization.yml:2: patches.0", []string{"k/kustomization.yaml", "resources: [../c, ../b]", "c/kustomization.yaml", "namePrefix: c-\nresources: [a.yaml]", "c/a.yaml", object, "b/kustomization.yml", "resources: [a.yaml]\npatches: [{patch: '" + missing + "'}]", "b/a.yaml", object}},
		"component":   {"b/Kustomization:3: configMapGenerator.0", []string{"k/kustomization.yaml", "resources: [a.yaml]\ncomponents: [../b]", "k/a.yaml", object, "b/Kustomization", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nconfigMapGenerator: [{name: a}]"}},
		"generator":   {"k/kustomization.yaml:2: secretGenerator.0", []string{"k/kustomization.yaml", "resources: [a.yaml]\nsecretGenerator: [{name: a, behavior: merge}]", "k/a.yaml", object}},
		"transformer": {"k/kustomization.yaml:3: transformers.0", []string{"k/kustomization.yaml", "resources: [a.yaml]\ntransformers:\n- t.yaml\n- '{apiVersion: builtin, kind: AnnotationsTransformer, metadata: {name: t}, annotations: {a: b}}'", "k/a.yaml", object, "k/t.yaml", "{apiVersion: builtin, kind: PatchTransformer, metadata: {name: u}, patch: '" + missing + "'}"}},
		"field":       {"k/kustomization.yaml:2: replacements.0", []string{"k/kustomization.yaml", "resources: [a.yaml]\nreplacements: [{source: {kind: Secret}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]}]\nnamePrefix: b-", "k/a.yaml", object}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.at, located(t, c.files...)) })
	}
}

// Where a build with secrets fails is told without a word of what kustomize says.
func TestLocateSecrets(t *testing.T) {
	files := []string{"k/kustomization.yaml", "resources: [s.yaml]\npatches:\n- path: p.yaml\n- {target: {kind: Secret}, patch: '[{\"op\": \"test\", \"path\": \"/stringData/a\", \"value\": \"canary\"}]'}",
		"k/s.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: canary}}", "k/p.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: other}}"}
	require.Equal(t, "k/kustomization.yaml:4: patches.1", located(t, files...))
	read, err := kustomization(written(files...), "k")
	require.NoError(t, err)
	require.Equal(t, "kustomize: the details may repeat a secret; `kustomize build` shows them", read.Build().Failed)
}

// What kustomize refuses of a whole kustomization is refused where it stands.
func TestKinds(t *testing.T) {
	for text, message := range map[string]string{
		"kind: Other\nresources: [a.yaml]":                "k/kustomization.yaml:1: apiVersion: is neither a Kustomization of kustomize.config.k8s.io/v1beta1 nor a Component of",
		"resources: [a.yaml]\napiVersion: example.com/v1": "k/kustomization.yaml:2: apiVersion: is neither a Kustomization of kustomize.config.k8s.io/v1beta1",
		"kind: Kustomization":                             "k/kustomization.yaml has nothing in it",
		"resources: [../part]":                            "k/kustomization.yaml:1: resources.0: part has kind Component; a Component is named below components",
		"resources: [a.yaml]\ncomponents: [../whole]":     "k/kustomization.yaml:2: components.0: whole has kind Kustomization; a Component is named below components",
	} {
		files := written("k/kustomization.yaml", text, "k/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
			"part/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: a-", "whole/kustomization.yaml", "namePrefix: a-")
		_, err := kustomization(files, "k")
		require.ErrorContains(t, err, message)
		_, err = upstream(t, files, "k")
		require.Error(t, err, "kustomize builds it")
	}
}

// A field that no kustomization has, and a value of another type, are refused where they stand.
func TestMisfits(t *testing.T) {
	for text, message := range map[string]string{
		"resources: [a.yaml]\nnameprefix: a-\nnamePrefixes: b": `k/kustomization.yaml:3: has a field "namePrefixes" that no kustomization has`,
		"resources: [a.yaml]\nimages:\n- name: a\n  tag: b":    `k/kustomization.yaml:4: has a field "tag" that no kustomization has`,
		"resources: [a.yaml]\npatches:\n- p.yaml":              "k/kustomization.yaml:3: patches: has the type string, which does not fit",
		"resources:\n  a.yaml: b":                              "k/kustomization.yaml:2: resources: has the type object, which does not fit",
	} {
		_, err := kustomization(written("k/kustomization.yaml", text), "k")
		require.EqualError(t, err, message)
	}
}

// A place is kept for each entry, so their number is bounded.
func TestElementsAreBounded(t *testing.T) {
	_, err := kustomization(written("k/kustomization.yaml", "resources: [../b]", "b/kustomization.yaml", "vars: ["+strings.Repeat("{},", maxElements)+"{}]"), "k")
	require.EqualError(t, err, "b/kustomization.yaml: has entries that make more than 20000 together with those of its bases")
}
