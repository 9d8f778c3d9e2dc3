package evaluate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// A layer is the files of one directory, and where they write what. Its field
// is the one top-level field that they may write.
type layer struct {
	field string // platform, tenant, application
	files []source
	where index
}

// newLayer parses and checks the files of one directory.
func newLayer(field string, files []source) (layer, []model.Problem) {
	l, _, problems := parseLayer(field, files)
	return l, problems
}

// parseLayer is newLayer and returns the syntax trees, which are for one use.
func parseLayer(field string, files []source) (l layer, trees []*ast.File, problems []model.Problem) {
	l = layer{field, files, index{}}
	bound := field != "platform"
	for _, b := range files {
		f, err := parser.ParseFile(b.name, b.data)
		if err != nil {
			problems = append(problems, syntaxProblems(err)...)
			continue
		}
		if bad := lint(f, field); len(bad) > 0 {
			problems = append(problems, bad...)
			continue // it may be too much for anything else
		}
		l.where.add(f)
		trees = append(trees, f)
		bound = bound || embedsFleet(f)
	}
	if !bound && len(problems) == 0 {
		problems = append(problems, at(codeNoPlatform, "fleet.cue", "does not bind the repo to the schema; write schema.#Fleet after import \""+schema.ImportPath+"\""))
	}
	return l, trees, problems
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
	return slices.Contains([]string{"platform", "tenant", "application", "approval"}, name)
}

// blame is a problem with the value at a dotted path, at its place in the layer.
func (l *layer) blame(code, path, message string) model.Problem {
	p := model.Problem{Code: code, Path: path, Message: message}
	e, depth := l.where.find(strings.Split(path, "."))
	switch {
	case depth > 0:
		p.Places = []model.Place{{At: e.value, Note: e.text}}
	case len(l.files) > 0:
		p.Places = []model.Place{{At: l.files[0].name + ":1:1"}}
	}
	return p
}

// evaluateLayer exports the field of the last layer under those above, and the
// policy in force after it.
func evaluateLayer(dir string, layers ...*layer) (doc, effective []byte, problems []model.Problem) {
	var above []source
	for _, l := range layers[:len(layers)-1] {
		above = append(above, l.files...)
	}
	return layers[len(layers)-1].export("_effective", layers, func(files []source) (cue.Value, error) {
		return buildValue(dir, slices.Concat(above, files), schemaFiles())
	})
}

// evaluateUnder exports an application under the policy in force for its tenant.
// The files of the layers above have no other say: lint keeps references to them
// and fields for others out. So they need not be evaluated again.
func evaluateUnder(dir string, policy []byte, own *layer) (doc []byte, problems []model.Problem) {
	doc, _, problems = own.export("", []*layer{own}, func(files []source) (cue.Value, error) {
		return buildValue(dir, append([]source{bindUnder}, files...), schemaUnder(policy))
	})
	return doc, problems
}

// bindUnder stands in for the files of the layers above an application.
var bindUnder = source{"fleet.cue", []byte("package fleet\n\nimport \"" + schema.ImportPath + "\"\n\nschema.#Under\n")}

// schemaUnder is what of the schema concerns an application, and a policy.
func schemaUnder(policy []byte) []source {
	under := fmt.Appendf(nil, "package schema\n\n#Under: application: {#Application, _policy: %s}\n", policy)
	return append(schemaFiles("fleet.cue", "platform.cue", "tenant.cue", "policy.cue", "access.cue", "groups.cue", "definitions.cue", "approval.cue", "layers_policy.cue"), source{"policy.cue", under})
}

// export returns the layer's field of what is built from its files, or all that is
// wrong with it.
func (l *layer) export(hidden string, layers []*layer, build func(files []source) (cue.Value, error)) (doc, extra []byte, problems []model.Problem) {
	v, err := build(l.files)
	if err == nil {
		doc, extra, err = export(v, l.field, hidden)
	}
	if err != nil {
		return nil, nil, l.further(explain(err, v, layers...), build, layers)
	}
	if doc == nil {
		return nil, nil, []model.Problem{l.blame(codeRequired, l.field, "must be written")}
	}
	return doc, extra, nil
}
