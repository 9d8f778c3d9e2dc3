package render

import (
	"cmp"
	"encoding/json"

	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/chart"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// helmProperties are the properties of a helm component.
type helmProperties struct {
	Chart       string          `json:"chart"`
	Values      json.RawMessage `json:"values"`
	KubeVersion string          `json:"kubeVersion"`
	APIVersions []string        `json:"apiVersions"`
	SkipCRDs    bool            `json:"skipCRDs"`
}

// chartKey is that of a component with a chart: components may have one with other values each.
func chartKey(component string) string { return "chart of " + component }

// chart reads the chart, to be rendered as a release.
func (p *helmProperties) chart(reader *chart.Reader, release, namespace string) (build.Recipe, error) {
	files, err := reader.Read(p.Chart)
	return chart.Chart{
		Dir: p.Chart, Files: files, Values: p.Values, Release: release, Namespace: namespace,
		Kubernetes: cmp.Or(p.KubeVersion, chart.Kubernetes), APIs: p.APIVersions, SkipCRDs: p.SkipCRDs,
	}, err
}

// render renders a helm component: the objects that its chart comes to.
func (p *helmProperties) render(w *workload) error {
	if err := w.properties(p); err != nil {
		return err
	}
	objects, built, err := w.app.built(chartKey(w.spec.Name), "properties.chart", declared.CodeChart, declared.CodeTemplate)
	if err != nil {
		return err
	}
	for i, u := range objects {
		if u.GroupVersionKind().GroupKind().String() == "Secret" {
			// Its values may be those of the component, which are written to the status branch.
			err := declared.Faultf(declared.CodeSecret, at("properties.chart", i), "is a Secret; write a component of type secret and name it in the values, as existingSecret or what the chart calls it")
			return named(built, "properties.chart", objects, err)
		}
	}
	return named(built, "properties.chart", objects, w.manifests("properties.chart", objects))
}
