package layer

import (
	"maps"
	"path"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// A Layer is the files of one directory, with the places of their values.
type Layer struct {
	Field string // the one top-level field that the files may write: platform, tenant, application, approval or removal
	Files []Source
	Where index // by path

	Library []Source // of an application: the packages that its files import, without their places
}

// Parse parses and checks the files of one directory, and evaluates nothing.
func Parse(field string, files []Source) (Layer, []model.Problem) {
	l, _, problems := parse(field, files)
	return l, problems
}

// parse is Parse and returns the syntax trees. They can be used once, because building an
// instance changes them.
func parse(field string, files []Source) (l Layer, trees []*ast.File, problems []model.Problem) {
	l = Layer{Field: field, Files: files, Where: index{}}
	bound := field != "platform"
	for _, b := range files {
		f, err := parser.ParseFile(b.Name, b.Data)
		if err != nil {
			problems = append(problems, syntaxProblems(err)...)
			continue
		}
		if bad := lint(f, field); len(bad) > 0 {
			problems = append(problems, bad...)
			continue // it may be too large for anything else
		}
		l.Where.add(f, nil)
		trees = append(trees, f)
		bound = bound || embedsFleet(f)
	}
	if !bound && len(problems) == 0 {
		problems = append(problems, WholeFile(catalogue.NoPlatform, "fleet.cue", "does not bind the repo to the schema; write schema.#Fleet after import \""+schema.ImportPath+"\""))
	}
	return l, trees, problems
}

// Blame is a problem with the value at a dotted path, at its place in the layer.
func (l *Layer) Blame(code, path, message string) model.Problem {
	p := model.Problem{Code: code, Path: path, Message: message}
	e, depth := l.Where.find(strings.Split(path, "."))
	switch {
	case depth > 0:
		p.Places = e.places(e.Value, e.Text)
	case len(l.Files) > 0:
		p.Places = []model.Place{{At: l.Files[0].Name + ":1:1"}}
	}
	return p
}

// Value returns the place of the value at a dotted path, if the layer writes it.
func (l *Layer) Value(path string) (at string, ok bool) {
	e, ok := l.Where.exact(path)
	return e.Value, ok
}

// Writes reports whether the layer writes the field at a path.
func (l *Layer) Writes(path ...string) bool { return l.Where[key(path)] != nil }

// Nearest returns the places of the field and of the value at a path, or of the nearest
// value that contains it. They are "" if the layer writes none of these.
func (l *Layer) Nearest(path ...string) (field, value string) {
	e, _ := l.Where.find(path)
	return e.Label, e.Value
}

// Positions returns the places of the values whose path below the layer's field is
// quoted.
func (l *Layer) Positions(quoted func(path []string) bool) model.Positions {
	out := model.Positions{}
	for key, entries := range l.Where {
		segments := strings.Split(key, "\x00")
		if len(segments) > 1 && segments[0] == l.Field && quoted(segments[1:]) {
			out[strings.Join(segments[1:], ".")] = entries[0].Value
		}
	}
	return out
}

// Outline returns the layer without the content of its files, and with the places of the
// values whose path is to be kept. Nil keeps all.
func (l Layer) Outline(keep func(path []string) bool) Layer {
	out := Layer{Field: l.Field, Where: l.Where}
	for _, f := range l.Files {
		out.Files = append(out.Files, Source{Name: f.Name})
	}
	if keep != nil {
		out.Where = maps.Clone(l.Where)
		maps.DeleteFunc(out.Where, func(key string, _ []entry) bool { return !keep(strings.Split(key, "\x00")) })
	}
	return out
}

// Short returns the layer with places that omit the name of its first file, which
// nearly all places repeat. Long is the inverse.
func (l Layer) Short() Layer { return l.rename(l.first(), "") }

// Long returns the layer with full places.
func (l Layer) Long() Layer { return l.rename("", l.first()) }

// first returns the name of the first file, "" without files.
func (l Layer) first() string {
	if len(l.Files) == 0 {
		return ""
	}
	return l.Files[0].Name
}

// rename replaces the name of a file in all places.
func (l Layer) rename(from, to string) Layer {
	in := func(place string) string {
		if rest, ok := strings.CutPrefix(place, from+":"); ok {
			return to + ":" + rest
		}
		return place
	}
	renamed := index{}
	for path, entries := range l.Where {
		for _, e := range entries {
			e.Label, e.Value = in(e.Label), in(e.Value)
			renamed[path] = append(renamed[path], e)
		}
	}
	l.Where = renamed
	return l
}

// TenantDir is the directory of a tenant's layer.
func TenantDir(tenant string) string { return path.Join("tenants", tenant) }

// ApplicationDir is the directory of an application's layer.
func ApplicationDir(app model.AppID) string {
	return path.Join("tenants", app.Tenant, "apps", app.Name)
}
