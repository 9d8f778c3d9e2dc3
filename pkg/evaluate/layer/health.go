package layer

import (
	"fmt"
	"iter"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Bounds of what definitions say of what is live.
const (
	maxHealth = 4 << 10 // bytes of CUE, which the record of each user has
	maxSays   = 160     // characters of a line
)

// withoutSample blames definitions of components that say what health is and have no sample
// to check that with.
func withoutSample(l *Layer) (problems []model.Problem) {
	for _, f := range l.Files {
		tree, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			continue // reported already
		}
		for _, all := range definitionsOfFile(tree, l.Field) {
			for name, body := range components(all.Elts) {
				if says(body) && field(body, "sample") == nil {
					problems = append(problems, l.Blame(catalogue.NoSample, l.Field+".definitions.components."+name,
						"says what health is, and has no sample of what is live to check that with"))
				}
			}
		}
	}
	return problems
}

// says reports whether a definition says something of what is live.
func says(definition *ast.StructLit) bool {
	return field(definition, "health") != nil || field(definition, "status") != nil
}

// components returns the definitions of components that are written as structs, by name.
func components(decls []ast.Decl) iter.Seq2[string, *ast.StructLit] {
	return func(yield func(string, *ast.StructLit) bool) {
		for name, f := range definitionsIn(decls, "components") {
			if body, ok := f.Value.(*ast.StructLit); ok && name != "" && !yield(name, body) {
				return
			}
		}
	}
}

// healthsOf returns what definitions of components, as CUE without outside references, say
// of what is live: for each that says something, a package that stands by itself.
func healthsOf(l *Layer, definitions string) (all map[string]string, problems []model.Problem) {
	tree, err := parser.ParseFile("definitions.cue", definitions)
	if err != nil {
		return nil, nil // it was written from a tree
	}
	for name, body := range components(tree.Decls) {
		if !says(body) {
			continue
		}
		path := l.Field + ".definitions.components." + name
		source, err := healthOf(tree, body)
		switch {
		case err != nil:
			problems = append(problems, l.Blame(catalogue.Health, path, "does not say its health by itself; health and status speak of live, context and the standard library: "+text.Clean(err.Error())))
		case len(source) > maxHealth:
			problems = append(problems, l.Blame(catalogue.Health, path, fmt.Sprintf("says its health in %d bytes; at most %d are kept in the record of each application that uses it", len(source), maxHealth)))
		default:
			if all == nil {
				all = map[string]string{}
			}
			all[name] = source
		}
	}
	return all, problems
}

// field returns the value of a field that a struct writes, nil without one.
func field(s *ast.StructLit, name string) ast.Expr {
	for label, f := range labelled(s.Elts) {
		if label == name {
			return f.Value
		}
	}
	return nil
}

// healthOf returns the expressions of one definition as a package that imports what they need.
func healthOf(all *ast.File, definition *ast.StructLit) (string, error) {
	out := &ast.File{Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent("health")}}}
	for _, d := range all.Decls {
		if imported, ok := d.(*ast.ImportDecl); ok {
			out.Decls = append(out.Decls, imported)
		}
	}
	any := func(name string) ast.Decl { return &ast.Field{Label: ast.NewIdent(name), Value: ast.NewIdent("_")} }
	out.Decls = append(out.Decls, any("live"), any("context"))
	for _, name := range []string{"health", "status"} {
		if said := field(definition, name); said != nil {
			out.Decls = append(out.Decls, &ast.Field{Label: ast.NewIdent(name), Value: said})
		}
	}
	written, err := format.Node(out)
	if err != nil {
		return "", err
	}
	own, err := parser.ParseFile("health.cue", written) // with references of its own
	if err != nil {
		return "", err
	}
	if err := astutil.SanitizeFiles([]*ast.File{own}); err != nil { // takes imports out that nothing needs
		return "", err
	}
	if written, err = format.Node(own); err != nil {
		return "", err
	}
	return string(written), cuecontext.New().CompileBytes(written).Err()
}

// Health returns what the source of a definition says of what is live, as JSON. What it cannot
// tell yet is not healthy. It is a function of both, and of nothing else.
func Health(source string, live []byte) (h model.Health) {
	defer func() {
		if e := recover(); e != nil {
			h = model.Health{Why: "the CUE evaluator gave up on its health"}
		}
	}()
	ctx := cuecontext.New()
	said := ctx.CompileString(source).FillPath(cue.MakePath(cue.Str("live")), ctx.CompileBytes(live))
	if status := said.LookupPath(cue.MakePath(cue.Str("status"))); status.Exists() {
		if line, err := status.String(); err == nil {
			h.Says = text.Line(line, maxSays)
		}
	}
	health := said.LookupPath(cue.MakePath(cue.Str("health")))
	if !health.Exists() && !strings.Contains(source, "\nhealth:") {
		h.Healthy = true
		return h
	}
	var err error
	if h.Healthy, err = health.Bool(); err != nil {
		h.Why = text.Line("its health is not known: "+errors.Errors(errors.Promote(err, ""))[0].Error(), maxSays)
	} else if !h.Healthy {
		h.Why = "not healthy by its definition"
	}
	return h
}
