package layer

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// private reports whether the value at path may be a secret and must not be quoted.
func private(path []string) bool {
	if slices.ContainsFunc(path, func(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") }) {
		return true // a value may refer to it
	}
	path = standsFor(path)
	if len(path) > 5 && path[1] == "workflow" && path[4] == "properties" {
		last := path[len(path)-1] // many an address is a key
		return last == "url" || last == "prometheus"
	}
	if len(path) < 4 || path[0] != "application" || path[1] != "components" {
		return false
	}
	switch below := path[4:]; path[3] {
	case "traits":
		return slices.Contains(below, "env") // of a container beside the component's own
	case "properties":
		if len(below) > 2 && below[0] == "objects" { // of a raw component: fields of an object
			return !slices.Contains([]string{"apiVersion", "kind", "metadata"}, below[2])
		}
		return len(below) == 0 || below[0] == "data" || below[0] == "env" || below[0] == "cloudInit" || below[0] == "address" || slices.Equal(below, []string{"health", "path"})
	}
	return false
}

// standsFor returns the path in an application of what a definition writes in its output.
func standsFor(path []string) []string {
	if len(path) < 6 || path[1] != "definitions" {
		return path
	}
	in := []string{"application", "components", path[3]}
	switch below := path[5:]; {
	case path[4] == "outputs":
		return slices.Concat(in, []string{"properties", "objects"}, below)
	case path[4] == "output" && path[2] == "traits":
		return slices.Concat(in, []string{"traits"}, below)
	case path[4] == "output" && path[2] == "steps":
		return slices.Concat([]string{"application", "workflow", "steps", path[3]}, below)
	case path[4] == "output":
		return slices.Concat(in, below)
	}
	return path
}

// keepers are words of the schema with which a definition can put what it takes where secrets stand.
var keepers = []string{"secret", "data", "env", "raw", "outputs", "url", "prometheus", "cloudInit", "userData"}

// keepsSecrets reports whether what a definition takes may be a secret: one of its words is of a place where secrets stand.
func (d *defined) keepsSecrets(kind, name string) bool {
	for _, text := range d.texts {
		tree, err := parser.ParseFile("definitions.cue", text)
		if err != nil {
			return true
		}
		for label, f := range definitionsIn(tree.Decls, kind) {
			if label == name && mentions(f.Value, keepers) {
				return true
			}
		}
	}
	return false
}

// withoutValues takes the values out of problems of what is given to definitions that keep secrets.
func (x *expansion) withoutValues(problems []model.Problem) []model.Problem {
	for i, p := range problems {
		kind, name := x.takes(strings.Split(p.Path, "."))
		if !x.known.has(kind, name) || !x.known.keepsSecrets(kind, name) {
			continue
		}
		switch p.Code {
		case catalogue.Conflict:
			problems[i].Message = "does not fit, or is written twice"
		case catalogue.Expansion:
			problems[i].Message = "definition " + name + " gives nothing valid for this"
		}
		for j, place := range p.Places {
			if x.own.has(place.At) {
				problems[i].Places[j].Note = ""
			}
		}
	}
	return problems
}

// takes returns the kind and the name of the type that a path of an application gives something to, if it is a definition.
func (x *expansion) takes(path []string) (kind, name string) {
	var at []string
	switch {
	case len(path) > 4 && path[1] == "components" && path[3] == "traits":
		return "traits", path[4]
	case len(path) > 3 && path[1] == "components" && path[3] == "properties":
		kind, at = "components", path[:3]
	case len(path) > 4 && path[1] == "workflow" && path[4] == "properties":
		kind, at = "steps", path[:4]
	}
	e, _ := x.own.Where.exact(strings.Join(append(slices.Clone(at), "type"), "."))
	name, _ = literal.Unquote(e.Text)
	return kind, name
}

// has reports whether a place is in the files of the layer.
func (l *Layer) has(at string) bool {
	return slices.ContainsFunc(l.Files, func(f Source) bool { return strings.HasPrefix(at, f.Name+":") })
}
