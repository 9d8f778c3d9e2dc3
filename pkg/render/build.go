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

// A Builder builds the kustomizations and charts of specs. The zero Builder does it in this
// process without limits, and has no files of other repositories.
type Builder struct {
	Prefix  string                                   // of namespaces
	Follow  func(build.Recipe) (build.Result, error) // a recipe; nil: in this process
	Outside build.Outside
}

// Build builds those of a spec, given the files of its directory. An error is that of the
// builder: an error of a kustomization is part of the result.
func (b Builder) Build(spec *model.Application, files fs.FS) (Kustomizations, error) {
	if b.Follow == nil {
		b.Follow = func(r build.Recipe) (build.Result, error) { return build.Follow(r), nil }
	}
	all := Kustomizations{}
	outside := reached(spec, b.Outside)
	charts, kustomizations := chartReaders{own: chart.NewReader(files), outside: outside}, (*kustomize.Reader)(nil)
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
				kustomizations = kustomize.NewReader(files, outside)
			}
			k, unread := kustomizations.Read(p.Path)
			recipe, written, err = k, k.Written, unread
		case "helm":
			var p helmProperties
			if json.Unmarshal(c.Properties, &p) != nil {
				continue
			}
			key = chartKey(c.Name)
			recipe, err = p.chart(&charts, ObjectName(spec.ID, c.Name), Namespace(b.Prefix, spec.ID, spec.Policy.Namespace))
		default:
			continue
		}
		built, err := b.follow(recipe, err)
		if absent := (*build.AbsentError)(nil); errors.As(err, &absent) {
			property := map[string]string{"kustomize": "properties.path", "helm": "properties.chart"}[c.Type]
			err = &AbsentError{problem(spec, c.Name, declared.Faultf(declared.CodeAbsent, property, "%s", text.Clean(err.Error())))}
		}
		if err != nil {
			return nil, err
		}
		if written != nil {
			built.Written = written
		}
		all[key] = built
	}
	return all, nil
}

// An AbsentError is that of a spec that names files outside the fleet repo which are not at
// hand now. The same build may succeed in another pass.
type AbsentError struct{ Problem model.Problem }

func (e *AbsentError) Error() string { return e.Problem.Message }

// follow follows a recipe that was read, or says why it was not.
func (b Builder) follow(r build.Recipe, unread error) (build.Result, error) {
	var absent *build.AbsentError
	var refused *build.RefusedError
	switch {
	case unread == nil:
		return b.Follow(r)
	case errors.As(unread, &absent):
		return build.Result{}, unread
	case errors.As(unread, &refused):
		return build.Result{Refused: text.Clean(unread.Error()), Code: refused.Code, Limit: refused.Limit}, nil
	}
	return build.Result{Refused: text.Clean(unread.Error())}, nil
}

// reached opens what is outside for a spec: from hosts only that its policy allows.
func reached(spec *model.Application, open build.Outside) build.Outside {
	return func(p model.Pinned) (fs.FS, error) {
		switch {
		case !model.CoversHost(spec.Policy.Egress, p.Host()):
			return nil, &build.RefusedError{Code: declared.CodeUnreached, Limit: "policy.egress.hosts",
				Message: "is at " + p.Host() + ", and policy does not allow calls to that host (egress.hosts)"}
		case open == nil:
			return nil, &build.AbsentError{Pinned: p, Why: "is not fetched here"}
		}
		return open(p)
	}
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
