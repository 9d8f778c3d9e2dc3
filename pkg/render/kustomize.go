package render

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/pkg/text"
)

// Kustomizations are the results of the kustomizations of a spec, by the path that a
// component names. Nil means that the files of the spec are not available.
type Kustomizations map[string]kustomize.Built

// Build builds the kustomizations of a spec, given the files of its directory. The
// builder decides where kustomize runs; nil runs it in this process without limits. An
// error is that of the builder: an error of a kustomization is part of the result.
func Build(spec *model.Application, files fs.FS, build func(kustomize.Kustomization) (kustomize.Built, error)) (Kustomizations, error) {
	all := Kustomizations{}
	var reader *kustomize.Reader
	for i := range spec.Components {
		var p kustomizeProperties
		if c := &spec.Components[i]; c.Type != "kustomize" || json.Unmarshal(c.Properties, &p) != nil {
			continue // rendering reports it
		}
		if _, done := all[p.Path]; done {
			continue
		}
		if reader == nil {
			reader = kustomize.NewReader(files)
		}
		k, err := reader.Read(p.Path)
		b := kustomize.Built{}
		switch {
		case err != nil:
			b.Refused = text.Clean(err.Error())
		case build == nil:
			b = located(k)
		default:
			if b, err = build(k); err != nil {
				return nil, err
			}
		}
		b.Written = k.Written
		all[p.Path] = b
	}
	return all, nil
}

// located builds a kustomization, and says where it fails.
func located(k kustomize.Kustomization) kustomize.Built {
	b := k.Build()
	if b.Failed != "" {
		b.Place = k.Locate()
	}
	return b
}

// kustomizeProperties are the properties of a kustomize component.
type kustomizeProperties struct {
	Path         string `json:"path"`
	MapNamespace bool   `json:"mapNamespace"`
}

// named returns an error about one of the objects that were built with its name and where that was
// written: nobody wrote the object with an index.
func named(built kustomize.Built, objects []*unstructured.Unstructured, err error) error {
	f := (*declared.Fault)(nil)
	if !errors.As(err, &f) {
		return err
	}
	if i, parse := strconv.Atoi(strings.TrimPrefix(f.Path, "properties.path.")); parse == nil {
		name := manifest.Identity(objects[i])
		if at := built.Origin(objects[i].GetKind(), objects[i].GetName()); at != "" {
			name += " (" + text.Clean(at) + ")"
		}
		f.Path, f.Message = "properties.path", name+": "+f.Message
	}
	return f
}

// kustomize renders a kustomize component: the objects that its directory builds.
func (w *workload) kustomize() error {
	var p kustomizeProperties
	if err := w.properties(&p); err != nil {
		return err
	}
	built, ok := w.app.Kustomizations[p.Path]
	switch {
	case !ok:
		return declared.Faultf(declared.CodeFiles, "properties.path", "needs the files of the application's directory as of commit %s, which are not at hand", w.app.spec.Commit)
	case built.Refused != "":
		return declared.Faultf(declared.CodeFiles, "properties.path", "%s", built.Refused)
	case built.Failed != "" && built.Place != "":
		return declared.Faultf(declared.CodeBuild, "properties.path", "%s: %s", built.Place, built.Failed)
	case built.Failed != "":
		return declared.Faultf(declared.CodeBuild, "properties.path", "%s", built.Failed)
	}
	objects := make([]*unstructured.Unstructured, len(built.Objects))
	for i, encoded := range built.Objects {
		objects[i] = &unstructured.Unstructured{}
		if err := objects[i].UnmarshalJSON(encoded); err != nil {
			return declared.Faultf(declared.CodeBuild, "properties.path", "builds what is not an object")
		}
	}
	var m moved
	if p.MapNamespace {
		var err error
		if objects, m, err = mapNamespace(objects, w.app.namespace); err != nil {
			return err
		}
	}
	if err := w.manifests("properties.path", objects); err != nil {
		return named(built, objects, err)
	}
	m.note()
	return nil
}
