package chart

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/render/build"
)

// of reads the chart in directory web of some files, given as a txtar archive without the directory.
func of(t testing.TB, text string) Chart {
	tree := fstest.MapFS{"web/Chart.yaml": {Data: []byte("{apiVersion: v2, name: web, version: 1.0.0}")}}
	for _, f := range txtar.Parse([]byte(text)).Files {
		tree["web/"+f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return in(t, tree, "web")
}

// in reads a chart as component shop-web of the namespace acme has it.
func in(t testing.TB, files fs.FS, dir string) Chart {
	read, err := NewReader(files).Read(dir)
	require.NoError(t, err)
	return Chart{Dir: dir, Files: read, Release: "shop-web", Namespace: "acme", Kubernetes: Kubernetes}
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {v: %s}\n"

// What a template is told is that of the component, and of no machine or cluster.
func TestTold(t *testing.T) {
	c := of(t, `
-- values.yaml --
port: 80
name: web
-- templates/a.yaml --
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}
data:
  values: "{{ .Values.port }} {{ .Values.name }} {{ .Values.more }}"
  release: "{{ .Release.Service }} {{ .Release.Revision }} {{ .Release.IsInstall }} {{ .Release.IsUpgrade }}"
  cluster: "{{ .Capabilities.KubeVersion }} {{ .Capabilities.KubeVersion.Minor }} {{ .Capabilities.HelmVersion.Version }}"
  has: "{{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.APIVersions.Has "example.com/v1" }} {{ .Capabilities.APIVersions.Has "example.com/v2" }}"
  keys: {{ keys (dict "b" 1 "a" 2) | join "," }} {{ values (dict "b" 1 "a" 2) | join "," }}
  file: {{ .Files.Get "more.txt" | quote }}
  date: {{ date "2006-01-02 15:04" 86400 }} {{ toDate "2006-01-02" "2026-03-04" | htmlDate }} {{ durationRound "26h" }}
-- templates/NOTES.txt --
Installed at {{ now }} with {{ randAlphaNum 8 }}.
-- templates/tests/connection.yaml --
{kind: Pod, metadata: {name: "t-{{ randAlpha 3 | lower }}", annotations: {helm.sh/hook: test}}}
-- templates/list.yaml --
{kind: List, items: [{kind: ConfigMap, metadata: {name: b}}, {kind: ConfigMap, metadata: {name: c}}]}
---
# nothing
-- more.txt --
text
-- .helmignore --
*.md
-- README.md --
not read
`)
	c.Values, c.APIs, c.Kubernetes = []byte(`{"port": 8080, "more": "x"}`), []string{"example.com/v1"}, "1.33"
	b := build.Follow(c)
	require.Empty(t, b.Failed)
	require.Len(t, b.Objects, 3)
	require.JSONEq(t, `{"kind": "ConfigMap", "metadata": {"name": "shop-web", "namespace": "acme"}, "data": {
		"values": "8080 web x", "release": "Helm 1 true false", "cluster": "v1.33 33 v4.2.4", "has": "true true false",
		"keys": "a,b 2,1", "file": "text\n", "date": "1970-01-02 00:00 2026-03-04 1d"
	}}`, string(b.Objects[0]))
	require.Equal(t, []build.Written{{Kind: "ConfigMap", Name: "shop-web", At: "web/templates/a.yaml:1"}, {Kind: "ConfigMap", Name: "b", At: "web/templates/list.yaml:1"},
		{Kind: "ConfigMap", Name: "c", At: "web/templates/list.yaml:1"}}, b.Written)
	for _, f := range c.Files {
		require.NotEqual(t, "README.md", f.Name)
	}
}
