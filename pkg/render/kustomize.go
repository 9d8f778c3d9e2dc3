package render

import "github.com/d-aros/d-aros/pkg/render/declared"

// kustomizeProperties are the properties of a kustomize component.
type kustomizeProperties struct {
	Path         string `json:"path"`
	MapNamespace bool   `json:"mapNamespace"`
}

// kustomize renders a kustomize component: the objects that its directory builds.
func (w *workload) kustomize() error {
	var p kustomizeProperties
	if err := w.properties(&p); err != nil {
		return err
	}
	objects, built, err := w.app.built(p.Path, "properties.path", declared.CodeFiles, declared.CodeBuild)
	if err != nil {
		return err
	}
	var m moved
	if p.MapNamespace {
		if objects, m, err = mapNamespace(objects, w.app.namespace); err != nil {
			return err
		}
	}
	if err := w.manifests("properties.path", objects); err != nil {
		return named(built, "properties.path", objects, err)
	}
	m.note()
	return nil
}
