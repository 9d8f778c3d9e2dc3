package render

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/chart"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/pkg/text"
)

// Kustomizations are the results of the kustomizations and charts of a spec: the former by the path
// that a component names, the latter by component. Nil means that the files of the spec are not
// available.
type Kustomizations map[string]build.Result

// Build builds the kustomizations and charts of a spec, given the files of its directory. The
// caller decides where recipes are followed; nil does it in this process without limits. Prefix is that of
// namespaces. An error is that of the caller: an error of a kustomization is part of the result.
func Build(spec *model.Application, prefix string, files fs.FS, follow func(build.Recipe) (build.Result, error)) (Kustomizations, error) {
	if follow == nil {
		follow = func(r build.Recipe) (build.Result, error) { return build.Follow(r), nil }
	}
	all := Kustomizations{}
	charts, kustomizations := chart.NewReader(files), (*kustomize.Reader)(nil)
	for i := range spec.Components {
		c := &spec.Components[i]
		key, written, recipe, err := "", []build.Written(nil), build.Recipe(nil), error(nil)
		switch c.Type {
		case "kustomize":
			var p kustomizeProperties
			if json.Unmarshal(c.Properties, &p) != nil {
				continue // rendering reports it
			}
			if key = p.Path; all.has(key) {
				continue
			}
			if kustomizations == nil {
				kustomizations = kustomize.NewReader(files)
			}
			k, unread := kustomizations.Read(p.Path)
			recipe, written, err = k, k.Written, unread
		case "helm":
			var p helmProperties
			if json.Unmarshal(c.Properties, &p) != nil {
				continue
			}
			key = chartKey(c.Name)
			recipe, err = p.chart(charts, ObjectName(spec.ID, c.Name), Namespace(prefix, spec.ID, spec.Policy.Namespace))
		default:
			continue
		}
		b := build.Result{}
		if err != nil {
			b.Refused = text.Clean(err.Error())
		} else if b, err = follow(recipe); err != nil {
			return nil, err
		}
		if written != nil {
			b.Written = written
		}
		all[key] = b
	}
	return all, nil
}

func (k Kustomizations) has(key string) bool { _, ok := k[key]; return ok }

// built returns the objects of a recipe. The property at path names its directory; the codes are
// those of a directory that is not read, and of a recipe that fails.
func (a *application) built(key, path, unread, failed string) ([]*unstructured.Unstructured, build.Result, error) {
	built, ok := a.Kustomizations[key]
	switch {
	case !ok:
		return nil, built, declared.Faultf(unread, path, "needs the files of the application's directory as of commit %s, which are not at hand", a.spec.Commit)
	case built.Refused != "":
		return nil, built, declared.Faultf(unread, path, "%s", built.Refused)
	case built.Failed != "" && built.Place != "":
		return nil, built, declared.Faultf(cmp.Or(built.Code, failed), path, "%s: %s", built.Place, built.Failed)
	case built.Failed != "":
		return nil, built, declared.Faultf(cmp.Or(built.Code, failed), path, "%s", built.Failed)
	}
	objects := make([]*unstructured.Unstructured, len(built.Objects))
	for i, encoded := range built.Objects {
		objects[i] = &unstructured.Unstructured{}
		if err := objects[i].UnmarshalJSON(encoded); err != nil {
			return nil, built, declared.Faultf(failed, path, "builds what is not an object")
		}
	}
	return objects, built, nil
}

// named returns an error about one of the objects that were built with its name and where that was
// written: nobody wrote the object with an index.
func named(built build.Result, path string, objects []*unstructured.Unstructured, err error) error {
	f := (*declared.Fault)(nil)
	if !errors.As(err, &f) {
		return err
	}
	if i, parse := strconv.Atoi(strings.TrimPrefix(f.Path, path+".")); parse == nil {
		name := manifest.Identity(objects[i])
		if at := built.Origin(objects[i].GetKind(), objects[i].GetName()); at != "" {
			name += " (" + text.Clean(at) + ")"
		}
		f.Path, f.Message = path, name+": "+f.Message
	}
	return f
}
