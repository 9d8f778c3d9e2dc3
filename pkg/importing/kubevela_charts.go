package importing

import (
	"regexp"
	"strings"
)

// charts reads components that are charts of Helm. Nothing is fetched: a person puts the chart where the component looks for it.
type charts struct{}

var helm charts

// velaCharts are the types of KubeVela and of its add-on that are charts, and what their properties become.
var velaCharts = map[string][]row{
	"helmchart": {{"values", "properties.values", helm.values}, {"options.skipTests", "", always("tests of a chart are left out", "true")}, {"", "", helm.chart("chart.source", "chart.repoURL", "chart.version")}},
	"helm":      {{"values", "properties.values", helm.values}, {"repoType", "", always("the chart is not fetched from there", "helm", "oci")}, {"", "", helm.chart("chart", "url", "version")}},
}

// Parts of the command that fetches a chart. What does not match is no part of a command that somebody copies.
var (
	chartName    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	chartAddress = regexp.MustCompile(`^(https|oci)://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)*/?$`)
	chartVersion = regexp.MustCompile(`^v?[0-9]+(\.[0-9]+){0,2}([-+.][A-Za-z0-9.+-]+)?$`)
)

// chart is the directory of a chart. Where it comes from, and its version, are a matter of who puts it there.
func (charts) chart(name, address, version string) func(*scope, *node) (any, error) {
	return func(s *scope, n *node) (any, error) {
		source := strings.TrimSuffix(n.at(name).string(), "/")
		base := source[strings.LastIndex(source, "/")+1:]
		if !chartName.MatchString(base) {
			return nil, because("names no chart", "properties: chart, a directory of the application")
		}
		s.d.set("properties.chart", "charts/"+base)
		mark(kept, n.at(name))
		pull := "helm pull " + base
		if chartAddress.MatchString(source) {
			pull = "helm pull " + source
		}
		if a := n.at(address).string(); chartAddress.MatchString(a) {
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

// values takes the values over those of a chart.
func (charts) values(_ *scope, n *node) (any, error) {
	v, err := to.plain(n)
	if values, ok := v.(doc); ok && err == nil && len(values) > 0 {
		return values, nil
	}
	return nil, err
}

// component makes a component of a chart, nil if it names none.
func (charts) component(t *translation, n *node) *component {
	c := t.component(n.at("name").string(), "helm")
	s := t.scope(c)
	properties := n.at("properties")
	for _, r := range velaCharts[n.at("type").string()] {
		if r.from != "" {
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
