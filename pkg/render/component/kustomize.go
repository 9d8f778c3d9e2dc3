package component

import (
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
)

// kustomizeProperties are the properties of a kustomize component.
type kustomizeProperties struct {
	Path         string `json:"path"`
	MapNamespace bool   `json:"mapNamespace"`
}

// kustomization reads the kustomization of a component, to be built.
func (s *Sources) kustomization(p kustomizeProperties) (build.Recipe, []build.Written, error) {
	if s.kustomizations == nil {
		s.kustomizations = kustomize.NewReader(s.files, s.outside)
	}
	k, err := s.kustomizations.Read(p.Path)
	return k, k.Written, err
}

// kustomized renders a kustomize component: the objects that its directory builds.
func kustomized(in Input, p kustomizeProperties) (Output, error) {
	objects, built, err := in.App.built(p.Path, "properties.path", declared.CodeFiles, declared.CodeBuild)
	if err != nil {
		return Output{}, err
	}
	var m moved
	if p.MapNamespace {
		if objects, m, err = mapNamespace(objects, in.App.Namespace); err != nil {
			return Output{}, err
		}
	}
	out, err := in.manifests("properties.path", objects)
	if err != nil {
		return Output{}, named(built, "properties.path", objects, err)
	}
	m.note()
	return out, nil
}
