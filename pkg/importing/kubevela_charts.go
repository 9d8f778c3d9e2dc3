package importing

import (
	"cmp"
	"maps"
	"regexp"
	"strings"
)

// charts reads components that are charts of Helm. Nothing is fetched: a person puts the chart where the component looks for it.
type charts struct{}

var helm charts

// velaCharts are the types of KubeVela and of its add-on that are charts, and what their properties become.
var velaCharts = map[string][]row{
	"helmchart": {
		{"valuesFrom", "properties.values", helm.valuesFrom}, {"values", "properties.values", helm.values}, {"options.skipTests", "", always("tests of a chart are left out", "true")},
		{"options.createNamespace", "", always("the namespace of the application is there", "true")}, {"release.name", "", helm.release}, {"", "", helm.chart("chart.source", "chart.repoURL", "chart.version")},
	},
	"helm": {
		{"values", "properties.values", helm.values}, {"repoType", "", always("the chart is not fetched from there", "helm", "oci")},
		{"", "", helm.chart("chart", "url", "version")},
	},
}

// Parts of the command that fetches a chart. What does not match is no part of a command that somebody copies.
var (
	chartName    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	chartAddress = regexp.MustCompile(`^(https|oci)://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)*/?$`)
	chartVersion = regexp.MustCompile(`^v?[0-9]+(\.[0-9]+){0,2}([-+.][A-Za-z0-9.+-]+)?$`)
)

// chart is the directory of a chart. Where it comes from, and its version, are a matter of who puts it there.
func (charts) chart(name, address, version string) taking {
	return func(s *scope, n *node) (any, error) {
		source := strings.TrimSuffix(n.at(name).string(), "/")
		above, base := "", source[strings.LastIndex(source, "/")+1:]
		if chartVersion.MatchString(base) { // a directory for each version
			above = strings.TrimSuffix(source, "/"+base)
			base = above[strings.LastIndex(above, "/")+1:]
		}
		if !chartName.MatchString(base) {
			return nil, because("names no chart", "properties: chart, a directory of the application")
		}
		s.d.set("properties.chart", "charts/"+base)
		mark(kept, n.at(name))
		pull := "helm pull " + base
		if chartAddress.MatchString(source) {
			pull = "helm pull " + source
		}
		if a := n.at(address).string(); chartAddress.MatchString(a) && above == "" {
			pull += " --repo " + a
		}
		if v := n.at(version).string(); chartVersion.MatchString(v) {
			pull += " --version " + v
		}
		pull += " --untar --untardir charts"
		for _, lost := range []string{address, version} {
			s.lose(n.at(lost), because("the chart is in the application's directory, and nothing is fetched", pull))
		}
		s.note("%s: put its chart into charts/%s of the application's directory, and say what its pods request", s.c.name, base)
		return nil, nil
	}
}

// values takes the values over those of a chart, and over those that are there already.
func (charts) values(s *scope, n *node) (any, error) {
	v, err := to.plain(n)
	if values, ok := v.(doc); ok && err == nil && len(values) > 0 {
		return overlaid(s.d.get("properties.values"), values), nil
	}
	return nil, err
}

// valuesFrom takes the values that ConfigMaps of the file have, one over the other.
func (charts) valuesFrom(s *scope, n *node) (any, error) {
	var values any
	s.each(n.items(), func(s *scope, e *node) (any, error) {
		said, err := helm.valuesOf(s.translation, e.at("kind").string(), e.at("name").string(), cmp.Or(e.at("key").string(), "values.yaml"))
		if err == nil {
			values = overlaid(values, said)
		}
		return nil, keeping(err, e)
	})
	return values, nil
}

// valuesOf returns the values that a key of a ConfigMap beside the Application has.
func (charts) valuesOf(t *translation, kind, name, key string) (doc, error) {
	for _, d := range t.defined.beside {
		if kind != "ConfigMap" || d.at("kind").string() != kind || d.at("metadata.name").string() != name {
			continue
		}
		docs, err := parse([]byte(d.at("data").field(key).string()))
		if err != nil || len(docs) != 1 {
			break
		}
		v, err := to.plain(docs[0])
		if values, ok := v.(doc); ok && err == nil {
			return values, nil
		}
	}
	return nil, because("takes values from something that is no ConfigMap of the file with plain values", "properties: values")
}

// overlaid returns values with others over them, field by field.
func overlaid(below any, above doc) doc {
	out := doc{}
	if b, ok := below.(doc); ok {
		maps.Copy(out, b)
	}
	for name, v := range above {
		if fields, ok := v.(doc); ok {
			v = overlaid(out[name], fields)
		}
		out[name] = v
	}
	return out
}

// release tells that the release is called as all objects of the component are.
func (charts) release(s *scope, n *node) (any, error) {
	if n.string() == s.objectName(s.c.name) {
		return nil, nil
	}
	return nil, because("a release is called APPLICATION-COMPONENT", "")
}

// component makes a component of a chart, nil if it names none.
func (charts) component(t *translation, n *node) *component {
	c := t.component(n.at("name").string(), "helm")
	s := t.scope(c)
	properties := n.at("properties")
	rows := velaCharts[n.at("type").string()]
	if definition := t.defined.charts[n.at("type").string()]; rows == nil {
		mark(ignored, definition)
		if _, err := helm.chart("release.chart.spec.chart", "repository.url", "release.chart.spec.version")(s, definition); err != nil {
			t.lose(n, err)
			t.drop(c)
			return nil
		}
		rows = []row{{"", "properties.values", helm.values}}
	}
	for _, r := range rows {
		if r.from+r.to != "" {
			s.take(properties, []row{r})
		} else if _, err := r.as(s, properties); err != nil {
			t.lose(n, err)
			t.drop(c)
			return nil
		}
	}
	mark(kept, n.at("name"), n.at("type"))
	return c
}
