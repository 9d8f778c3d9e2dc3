package pool

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/chart"
)

// chartOf reads a chart with one template and some values.
func chartOf(t testing.TB, template, values string) chart.Chart {
	files, err := chart.NewReader(fstest.MapFS{
		"web/Chart.yaml": {Data: []byte("{apiVersion: v2, name: web, version: 1.0.0}")}, "web/templates/a.yaml": {Data: []byte(template)},
	}).Read("web")
	require.NoError(t, err)
	return chart.Chart{Dir: "web", Files: files, Values: []byte(values), Release: "shop-web", Namespace: "acme", Kubernetes: chart.Kubernetes}
}

const mapTemplate = "kind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {v: %s}\n"

// A child renders what this process renders, says the same of what does not render, and keeps the result by
// the files and the values.
func TestChartIsTheSame(t *testing.T) {
	p := one(open(t, Options{Dir: t.TempDir()}))
	e := evaluate.Through(p)
	for i, c := range []struct {
		template, values string
		asked            int
	}{
		{fmt.Sprintf(mapTemplate, "{{ .Values.a }}"), `{"a": "b"}`, 1}, {fmt.Sprintf(mapTemplate, "{{ .Values.a }}"), `{"a": "b"}`, 1},
		{fmt.Sprintf(mapTemplate, "{{ .Values.a }}"), `{"a": "c"}`, 2}, {fmt.Sprintf(mapTemplate, "{{ .Values.a }} "), `{"a": "c"}`, 3},
		{fmt.Sprintf(mapTemplate, "{{ now }}"), ``, 5}, {fmt.Sprintf(mapTemplate, "{{ now }}"), ``, 5}, {"{{ fail \"no\" }}", ``, 6},
	} {
		r := chartOf(t, c.template, c.values)
		got, err := e.Build("acme", r)
		require.NoError(t, err)
		require.Equal(t, build.Follow(r), got, i)
		require.Equal(t, c.asked, p.evaluated, i)
	}
}

// TestAttack08ChartBombs: a template that grows or does not end is ended at a limit, and blames its own chart; the next one
// is rendered.
func TestAttack08ChartBombs(t *testing.T) {
	bombsTakeSeconds(t)
	p := open(t, Options{Deadline: time.Second})
	e := evaluate.Through(p)
	for name, template := range map[string]string{
		"text that is long":         `{{ range until 100 }}{{ repeat 1000000000 "x" }}{{ end }}`,
		"a text that is doubled":    `{{ $x := "xxxxxxxx" }}{{ range until 60 }}{{ $x = cat $x $x }}{{ end }}{{ $x }}`,
		"templates that are nested": `{{ define "a" }}{{ tpl "{{ include \"a\" . }}{{ include \"a\" . }}" . }}{{ end }}{{ include "a" . }}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := workOfEnded(t)
			built, err := e.Build("acme", chartOf(t, template, ""))
			require.NoError(t, err)
			require.Regexp(t, `^helm was ended: the build needs too much (time|memory|stack)$`, built.Failed)
			require.Empty(t, built.Objects)
			require.Less(t, workOfEnded(t)-before, 4*p.options.Deadline)
			for _, tenant := range []string{"acme", "globex"} {
				built, err = e.Build(tenant, chartOf(t, fmt.Sprintf(mapTemplate, tenant), ""))
				require.NoError(t, err)
				require.Len(t, built.Objects, 1)
			}
		})
	}
}

// BenchmarkChart renders a Deployment with its Service and configuration in a child, and takes it from
// what is kept.
func BenchmarkChart(b *testing.B) {
	benchmarkBuilds(b, func(i int) build.Recipe {
		return chartOf(b, `
{kind: ConfigMap, metadata: {name: "{{ .Release.Name }}"}, data: {a: "{{ .Values.a }}"}}
---
{kind: Service, metadata: {name: "{{ .Release.Name }}"}, spec: {ports: [{port: 80}]}}
---
{kind: Deployment, metadata: {name: "{{ .Release.Name }}"}, spec: {template: {spec: {containers: [{name: a, image: a, envFrom: [{configMapRef: {name: "{{ .Release.Name }}"}}]}]}}}}`, fmt.Sprintf(`{"a": "%d"}`, i))
	})
}
