package component

import (
	"cmp"
	"encoding/json"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/chart"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// helmProperties are the properties of a helm component.
type helmProperties struct {
	Chart       string          `json:"chart"`
	From        *chartSource    `json:"from"`
	Values      json.RawMessage `json:"values"`
	KubeVersion string          `json:"kubeVersion"`
	APIVersions []string        `json:"apiVersions"`
	SkipCRDs    bool            `json:"skipCRDs"`
}

// chartKey is that of a component with a chart: components may have one with other values each.
func chartKey(component string) string { return "chart of " + component }

// chartSource is what a chart is fetched from: a commit of a repository, or an artefact.
type chartSource struct {
	Git    string `json:"git"`
	Commit string `json:"commit"`
	OCI    string `json:"oci"`
	Digest string `json:"digest"`
}

// pinned returns what the source names.
func (s *chartSource) pinned() (model.Pinned, error) {
	switch {
	case s.Git != "" && s.Commit != "" && s.OCI+s.Digest == "":
		return model.Pinned{Repository: s.Git, Version: s.Commit}, nil
	case s.OCI != "" && s.Digest != "" && s.Git+s.Commit == "":
		return model.Pinned{Repository: model.Registry + s.OCI, Version: s.Digest}, nil
	}
	return model.Pinned{}, &build.RefusedError{Code: declared.CodeUnpinned, Message: "is to come from a repository that is not pinned; write from: {git, commit} or from: {oci, digest}"}
}

// charts returns the reader of a source, and how messages name it.
func (s *Sources) charts(from *chartSource) (*chart.Reader, string, error) {
	p, at, files := model.Pinned{}, "", s.files
	var err error
	if from != nil {
		if p, err = from.pinned(); err != nil {
			return nil, "", err
		}
		at = p.String() + ":/"
	}
	if s.readers[p] == nil {
		if from != nil {
			if files, err = s.outside(p); err != nil {
				return nil, "", err
			}
		}
		s.readers[p] = chart.NewReader(files)
	}
	return s.readers[p], at, nil
}

// chart reads the chart of a component, to be rendered as a release.
func (s *Sources) chart(p helmProperties, release, namespace string) (build.Recipe, error) {
	reader, at, err := s.charts(p.From)
	if err != nil {
		return nil, err
	}
	files, err := reader.Read(p.Chart)
	return chart.Chart{
		Dir: at + p.Chart, Files: files, Values: p.Values, Release: release, Namespace: namespace,
		Kubernetes: cmp.Or(p.KubeVersion, chart.Kubernetes), APIs: p.APIVersions, SkipCRDs: p.SkipCRDs,
	}, err
}

// helm renders a helm component: the objects that its chart comes to.
func helm(in Input, _ helmProperties) (Output, error) {
	objects, built, err := in.App.built(chartKey(in.Spec.Name), "properties.chart", declared.CodeChart, declared.CodeTemplate)
	if err != nil {
		return Output{}, err
	}
	for i, u := range objects {
		if u.GroupVersionKind().GroupKind().String() == "Secret" {
			// Its values may be those of the component, which are written to the status branch.
			err := declared.Faultf(declared.CodeSecret, at("properties.chart", i), "is a Secret; write a component of type secret and name it in the values, as existingSecret or what the chart calls it")
			return Output{}, named(built, "properties.chart", objects, err)
		}
	}
	out, err := in.manifests("properties.chart", objects)
	return out, named(built, "properties.chart", objects, err)
}
