package evaluate

import (
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// A layer is the files of one directory, and where they write what. Its field
// is the one top-level field that they may write.
type layer struct {
	field string // platform, tenant, application
	blobs []blob
	where index
}

// newLayer parses and checks the files of one directory.
func newLayer(field string, blobs []blob) (layer, []model.Problem) {
	l := layer{field, blobs, index{}}
	var problems []model.Problem
	bound := field != "platform"
	for _, b := range blobs {
		f, err := parser.ParseFile(b.name, b.data)
		if err != nil {
			problems = append(problems, syntaxProblems(err)...)
			continue
		}
		problems = append(problems, lint(f, field)...)
		l.where.add(f)
		bound = bound || embedsFleet(f)
	}
	if !bound && len(problems) == 0 {
		problems = append(problems, at(codeNoPlatform, "fleet.cue", "does not bind the repo to the schema; write schema.#Fleet after import \""+schema.ImportPath+"\""))
	}
	return l, problems
}

// parse parses the files once more: a syntax tree may be part of one CUE
// instance only.
func (l *layer) parse() []*ast.File {
	var trees []*ast.File
	for _, b := range l.blobs {
		f, err := parser.ParseFile(b.name, b.data)
		if err != nil {
			panic("evaluate: " + b.name + " parsed before and does not now")
		}
		trees = append(trees, f)
	}
	return trees
}

// positions returns where the values are written whose paths below the layer's
// field begin with one of the prefixes.
func (l *layer) positions(quoted func(path []string) bool) model.Positions {
	out := model.Positions{}
	for key, entries := range l.where {
		segments := strings.Split(key, "\x00")
		if len(segments) > 1 && segments[0] == l.field && quoted(segments[1:]) {
			out[strings.Join(segments[1:], ".")] = entries[0].value
		}
	}
	return out
}

// directory of a layer's files.
func tenantDir(tenant string) string { return path.Join("tenants", tenant) }
func applicationDir(app model.AppID) string {
	return path.Join("tenants", app.Tenant, "apps", app.Name)
}
func topLevel(name string) bool {
	return slices.Contains([]string{"platform", "tenant", "application"}, name)
}

// blame is a problem with the value at a dotted path, at its place in the layer.
func (l *layer) blame(code, path, message string) model.Problem {
	p := model.Problem{Code: code, Path: path, Message: message}
	e, depth := l.where.find(strings.Split(path, "."))
	switch {
	case depth > 0:
		p.Places = []model.Place{{At: e.value, Note: e.text}}
	case len(l.blobs) > 0:
		p.Places = []model.Place{{At: l.blobs[0].name + ":1:1"}}
	}
	return p
}

// evaluateLayer exports the field of the last layer, and a hidden field of it.
func evaluateLayer(dir, hidden string, layers ...*layer) (doc, extra []byte, problems []model.Problem) {
	own := layers[len(layers)-1]
	v, err := buildValue(dir, layers...)
	if err == nil {
		doc, extra, err = export(v, own.field, hidden)
	}
	if err != nil {
		return nil, nil, explain(err, v, layers...)
	}
	if doc == nil {
		return nil, nil, []model.Problem{own.blame(codeRequired, own.field, "must be written")}
	}
	return doc, extra, nil
}
