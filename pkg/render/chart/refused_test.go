package chart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// What a chart may not have, and what fails in it, is named with the line, and with what to write instead.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, code, place, want string }{
		{"-- templates/a.yaml --\n\n{kind: Job, metadata: {name: migrate, annotations: {helm.sh/hook: pre-install}}}\n", declared.CodeHook, "web/templates/a.yaml:2",
			"makes Job migrate a hook (pre-install), which Helm runs beside the objects; switch it off in the values or take it out, and write a component of type job that a step of the workflow runs"},
		{"-- templates/a.yaml --\n{kind: Job, metadata: {name: a, annotations: {helm.sh/hook: \"test,pre-install\"}}}\n", declared.CodeHook, "web/templates/a.yaml:1", "a hook (test,pre-install)"},
		{"-- crds/a.yaml --\n{kind: CustomResourceDefinition}\n", declared.CodeChart, "", "brings web/crds/a.yaml, which has no namespace: ask the platform's admins for its kind, and write skipCRDs: true"},
		{"-- Chart.yaml --\n{apiVersion: v2, name: web, version: 1.0.0, type: library}\n", declared.CodeChart, "", "is a library"},
		{"-- Chart.yaml --\n{apiVersion: v2, name: web, version: 1.0.0, kubeVersion: \"<1.20\"}\n", "", "", "wants Kubernetes <1.20, and is told v1.36.0; another kubeVersion of the component tells it another one"},
		{"-- Chart.yaml --\n{apiVersion: v3, name: web, version: 1.0.0}\n", declared.CodeChart, "", "apiVersion"},
		{"-- templates/a.yaml --\n\n{{ .Values.a.b }}\n", "", "web/templates/a.yaml:2", "nil pointer evaluating"},
		{"-- templates/a.yaml --\n{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}\n", "", "web/templates/a.yaml:1", "exceeded maximum template depth"},
		{"-- templates/a.yaml --\n{{ if }}\n", "", "web/templates/a.yaml:1", "missing value for if"},
		{"-- templates/a.yaml --\n{{ fail \"choose a name\" }}\n", "", "web/templates/a.yaml:1", "helm: choose a name"},
		{"-- templates/a.yaml --\na: [\n", "", "web/templates/a.yaml", "does not come to YAML"},
		{"-- templates/a.yaml --\na: b\n", "", "web/templates/a.yaml", "comes to what is no object"},
		{"-- values.schema.json --\n{\"properties\": {\"port\": {\"type\": \"integer\"}}}\n-- values.yaml --\nport: many\n", "", "", "at '/port': got string, want integer"},
		{"-- charts/db/Chart.yaml --\n{apiVersion: v2, name: db, version: 1.0.0}\n-- charts/db/values.schema.json --\n{\"required\": [\"size\"]}\n-- values.yaml --\ndb: {a: 1}\n", "", "", "do not fit values.schema.json of db"},
		{"-- charts/db/Chart.yaml --\n{apiVersion: v2, name: db, version: 1.0.0}\n-- charts/db/templates/_a.tpl --\n{{ define \"a\" }}\n{{ fail \"no\" }}{{ end }}\n-- templates/a.yaml --\n{{ include \"a\" . }}\n", "", "web/templates/a.yaml:1", "helm: no"},
	} {
		b := build.Follow(of(t, c.text))
		require.Contains(t, b.Failed, c.want)
		require.Equal(t, []string{c.code, c.place}, []string{b.Code, b.Place}, b.Failed)
		require.Empty(t, b.Objects)
	}
	skipping := of(t, "-- crds/a.yaml --\n{kind: CustomResourceDefinition}\n")
	skipping.SkipCRDs = true
	require.Empty(t, skipping.Build())
}
