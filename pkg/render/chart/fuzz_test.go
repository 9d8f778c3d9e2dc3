package chart

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// FuzzChart: whatever the files of a chart say, reading and rendering it ends, without a panic, and comes out the same
// once more.
func FuzzChart(f *testing.F) {
	for _, seed := range []string{
		"kind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}", "{{ include \"a\" . }}", "{{ range $k, $v := .Values }}{{ $k }}{{ end }}", "{{ now }}", "{{ tpl .Values.a . }}",
		"---apiVersion: v1", "{{ .Files.Get \"values.yaml\" }}", "{{ fail \"x\" }}", "kind: List\nitems: [{kind: A}, null]", "{{ lookup \"a\" \"b\" \"\" \"\" }}", "{{ .Subcharts.b.Values.x }}",
	} {
		f.Add(seed, "a: 1\nb: {x: 1}\nglobal: {y: 2}", `{"a": null, "b": {"x": "z"}}`)
	}
	f.Fuzz(func(t *testing.T, template, defaults, values string) {
		files, err := NewReader(fstest.MapFS{
			"web/Chart.yaml":   {Data: []byte("{apiVersion: v2, name: web, version: 1.0.0, dependencies: [{name: b, version: '*', condition: b.on, import-values: [x]}]}")},
			"web/values.yaml":  {Data: []byte(defaults)},
			"web/.helmignore":  {Data: []byte(defaults)},
			"web/templates/a":  {Data: []byte(template)},
			"web/templates/_b": {Data: []byte(`{{ define "a" }}x: y{{ end }}`)},

			"web/charts/b/Chart.yaml": {Data: []byte("{apiVersion: v2, name: b, version: 1.0.0}")}, "web/charts/b/templates/a": {Data: []byte(template)},
		}).Read("web")
		if err != nil || len(template) > 200 { // the limits of a child end what takes long
			return
		}
		c := Chart{Dir: "web", Files: files, Values: []byte(values), Release: "shop-web", Namespace: "acme", Kubernetes: Kubernetes}
		require.Equal(t, c.Build(), c.Build())
	})
}
