package component

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

// Sources read what the components of one application are built of: kustomizations and charts
// in its directory, and in repositories outside.
type Sources struct {
	files          fs.FS
	outside        build.Outside
	kustomizations *kustomize.Reader
	readers        map[model.Pinned]*chart.Reader // of charts; those of the directory: by nothing pinned
}

// NewSources reads from the directory of an application, and from outside.
func NewSources(files fs.FS, outside build.Outside) *Sources {
	return &Sources{files: files, outside: outside, readers: map[model.Pinned]*chart.Reader{}}
}

// Source is what one component is built of.
type Source struct {
	Key      string // of the result; components that share a source have one
	Property string // that names it
	// Read reads the recipe, and what people wrote in it, nil if nobody can say.
	Read func() (build.Recipe, []build.Written, error)
}

// Of returns what a component is built of. It reports whether it is built at all, and by
// properties that can be read: rendering reports others.
func (s *Sources) Of(c *model.Component, release, namespace string) (Source, bool) {
	switch c.Type {
	case "kustomize":
		var p kustomizeProperties
		err := json.Unmarshal(c.Properties, &p)
		return Source{p.Path, "properties.path", func() (build.Recipe, []build.Written, error) {
			return s.kustomization(p)
		}}, err == nil
	case "helm":
		var p helmProperties
		err := json.Unmarshal(c.Properties, &p)
		return Source{chartKey(c.Name), "properties.chart", func() (build.Recipe, []build.Written, error) {
			r, err := s.chart(p, release, namespace)
			return r, nil, err
		}}, err == nil
	}
	return Source{}, false
}

// built returns the objects of a recipe. The property at path names its directory; the codes are
// those of a directory that is not read, and of a recipe that fails.
func (a *Application) built(key, path, unread, failed string) ([]*unstructured.Unstructured, build.Result, error) {
	built, ok := a.Built[key]
	switch {
	case !ok:
		return nil, built, declared.Faultf(unread, path, "needs the files of the application's directory as of commit %s, which are not at hand", a.Spec.Commit)
	case built.Refused != "":
		return nil, built, declared.Against(built.Limit, cmp.Or(built.Code, unread), path, "%s", built.Refused)
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
