package kustomize

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An object that was built is known by kind and name, whatever stands around the name, as long as one
// place is the only one that it may come from.
func TestOrigin(t *testing.T) {
	read, err := kustomization(written("k/kustomization.yaml", "resources: [../b, a.yaml]\nnamePrefix: live-\nconfigMapGenerator:\n- name: settings\n  literals: [a=b]",
		"k/a.yaml", "# one\n---\n{apiVersion: v1, kind: Service, metadata: {name: web}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: web-admin}}\n",
		"b/kustomization.yaml", "resources: [a.yaml, b.yaml]\nsecretGenerator: [{name: s, literals: [a=b]}]",
		"b/a.yaml", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: one}}\n- {apiVersion: v1, kind: Pod, metadata: {name: two}}\n",
		"b/b.yaml", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: a}}\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: b}}"), "k")
	require.NoError(t, err)
	built := read.Build()
	require.Empty(t, built.Failed)
	built.Written = read.Written
	for _, c := range [][3]string{
		{"Service", "live-web", "k/a.yaml:3"}, {"Service", "live-web-admin", "k/a.yaml:5"}, {"Pod", "live-two", "b/a.yaml:5"}, {"ConfigMap", "live-settings-6ct58987ht", "k/kustomization.yaml:4"},
		{"Secret", "live-s-9f8g7h", "b/kustomization.yaml:2"}, {"Deployment", "live-web", ""}, {"Service", "other", ""}, {"List", "web", ""},
	} {
		require.Equal(t, c[2], built.Origin(c[0], c[1]), c)
	}
}

// A Secret in a list is a secret.
func TestSecretInAList(t *testing.T) {
	read, err := kustomization(written("k/kustomization.yaml", "resources: [a.yaml]", "k/a.yaml",
		"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: a}}]}"), "k")
	require.NoError(t, err)
	require.True(t, read.Secrets)
}
