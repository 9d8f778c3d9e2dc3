package render

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/text"
)

// Builds are the results of the kustomizations and charts of a spec: the former by the path
// that a component names, the latter by component. Nil means that the files of the spec are not
// available.
type Builds map[string]build.Result

// A Builder builds the kustomizations and charts of specs. The zero Builder does it in this
// process without limits, and has no files of other repositories.
type Builder struct {
	Prefix  string                                                    // of namespaces
	Follow  func(tenant string, r build.Recipe) (build.Result, error) // a recipe; nil: in this process
	Outside func(tenant string, p model.Pinned) (fs.FS, error)        // opens files outside the fleet repo, see build.Outside; nil: none are at hand
}

// BuildIn builds those of a spec from its directory, which open opens at the commit of the spec. They are nil if it has none.
func (b Builder) BuildIn(spec *model.Application, open func(commit string) (fs.FS, error)) (Builds, error) {
	if !slices.ContainsFunc(spec.Components, func(c model.Component) bool { return c.Source != "" }) {
		return nil, nil
	}
	dir, err := open(spec.Commit)
	if err != nil {
		return nil, err
	}
	return b.Build(spec, dir)
}

// Build builds those of a spec, given the files of its directory. An error is that of the
// builder: an error of a kustomization is part of the result.
func (b Builder) Build(spec *model.Application, files fs.FS) (Builds, error) {
	if b.Follow == nil {
		b.Follow = func(_ string, r build.Recipe) (build.Result, error) { return build.Follow(r), nil }
	}
	all := Builds{}
	outside := reached(spec, b.Outside)
	sources := component.NewSources(files, outside)
	for i := range spec.Components {
		c := &spec.Components[i]
		source, is := sources.Of(c, ObjectName(spec.ID, c.Name), Namespace(b.Prefix, spec.ID, spec.Policy.Namespace))
		if _, done := all[source.Key]; !is || done {
			continue
		}
		recipe, written, err := source.Read()
		built, err := b.follow(spec.ID.Tenant, recipe, err)
		if absent := (*build.AbsentError)(nil); errors.As(err, &absent) {
			err = &AbsentError{problem(spec, c.Name, declared.Faultf(declared.CodeAbsent, source.Property, "%s", text.Clean(err.Error())))}
		}
		if err != nil {
			return nil, err
		}
		if written != nil {
			built.Written = written
		}
		all[source.Key] = built
	}
	return all, nil
}

// An AbsentError is that of a spec that names files outside the fleet repo which are not at
// hand now. The same build may succeed in another pass.
type AbsentError struct{ Problem model.Problem }

func (e *AbsentError) Error() string { return e.Problem.Message }

// follow follows a recipe that was read, or says why it was not.
func (b Builder) follow(tenant string, r build.Recipe, unread error) (build.Result, error) {
	refused := &build.RefusedError{}
	switch {
	case unread == nil:
		return b.Follow(tenant, r)
	case errors.As(unread, new(*build.AbsentError)):
		return build.Result{}, unread
	}
	errors.As(unread, &refused)
	return build.Result{Refused: text.Clean(unread.Error()), Code: refused.Code, Limit: refused.Limit}, nil
}

// reached opens what is outside for a spec: from hosts only that its policy allows.
func reached(spec *model.Application, open func(tenant string, p model.Pinned) (fs.FS, error)) build.Outside {
	return func(p model.Pinned) (fs.FS, error) {
		switch {
		case !model.CoversHost(spec.Policy.Egress, p.Host()):
			return nil, &build.RefusedError{Code: declared.CodeUnreached, Limit: "policy.egress.hosts",
				Message: "is at " + p.Host() + ", and policy does not allow calls to that host (egress.hosts)"}
		case open == nil:
			return nil, &build.AbsentError{Pinned: p, Why: "is not fetched here"}
		}
		return open(spec.ID.Tenant, p)
	}
}
