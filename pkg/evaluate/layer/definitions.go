package layer

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Definitions are what the layers above an application define.
type Definitions struct {
	Texts     []string          `json:"texts,omitempty"`     // those of each layer as CUE without outside references
	Withdrawn map[string]string `json:"withdrawn,omitempty"` // not in force because of problems of their own: whose they are, by kind.name
	Health    map[string]string `json:"health,omitempty"`    // what they say of what is live, by type of component: see Health
}

// with returns the definitions with those of the layer below.
func (d Definitions) with(own Definitions) Definitions {
	return Definitions{slices.Concat(d.Texts, own.Texts), joined(own.Withdrawn, d.Withdrawn), joined(own.Health, d.Health)}
}

// joined returns the entries of both maps, those of above where both have one.
func joined(below, above map[string]string) map[string]string {
	if below == nil {
		return above
	}
	all := maps.Clone(below)
	maps.Copy(all, above)
	return all
}

// definitionsOf returns the definitions of a layer as a CUE file without outside
// references, "" if there are none. An application needs only these and the policy in
// force.
func definitionsOf(l *Layer) (source string, problems []model.Problem) {
	out := &ast.File{Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent("definitions")}}}
	found := false
	for _, f := range l.Files {
		if !bytes.Contains(f.Data, []byte("definitions")) {
			continue
		}
		tree, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			continue // reported already
		}
		written := definitionsOfFile(tree, l.Field)
		if len(written) == 0 {
			continue
		}
		found = true
		for _, d := range tree.Decls {
			if imported, ok := d.(*ast.ImportDecl); ok {
				out.Decls = slices.Insert(out.Decls, 1, ast.Decl(imported))
			}
		}
		for _, s := range written {
			problems = append(problems, closedParameters(l.Field, s)...)
			out.Decls = append(out.Decls, s.Elts...)
		}
	}
	if !found || len(problems) > 0 {
		return "", problems
	}
	if err := astutil.SanitizeFiles([]*ast.File{out}); err != nil {
		return "", []model.Problem{l.Blame(catalogue.Definition, l.Field+".definitions", "does not stand by itself: "+text.Clean(err.Error()))}
	}
	formatted, err := format.Node(out)
	if err != nil {
		return "", []model.Problem{l.Blame(catalogue.Definition, l.Field+".definitions", "cannot be written by itself: "+text.Clean(err.Error()))}
	}
	if err := compiled(string(formatted)).Err(); err != nil {
		path := l.Field + ".definitions"
		if in := pathOf(errors.Errors(err)[0]); len(in) > 1 {
			path += "." + strings.Join(in[:2], ".")
		}
		return "", []model.Problem{l.Blame(catalogue.Definition, path,
			"does not stand by itself; a definition speaks of parameter, context and the standard library: "+text.Clean(err.Error()))}
	}
	return string(formatted), nil
}

// labelled returns the fields among declarations, by their names. That of a pattern is "".
func labelled(decls []ast.Decl) iter.Seq2[string, *ast.Field] {
	return func(yield func(string, *ast.Field) bool) {
		for _, d := range decls {
			if f, ok := d.(*ast.Field); ok {
				if name, _, _ := ast.LabelName(f.Label); !yield(name, f) {
					return
				}
			}
		}
	}
}

// fields returns the structs that declarations write as the value of a field.
func fields(decls []ast.Decl, name string) (out []*ast.StructLit) {
	for label, f := range labelled(decls) {
		if s, ok := f.Value.(*ast.StructLit); ok && label == name {
			out = append(out, s)
		}
	}
	return out
}

// kindsDefined are the kinds of definitions.
var kindsDefined = []string{"components", "traits", "steps"}

// definitionsIn returns the definitions of a kind among declarations, by their names.
func definitionsIn(decls []ast.Decl, kind string) iter.Seq2[string, *ast.Field] {
	return func(yield func(string, *ast.Field) bool) {
		for _, all := range fields(decls, kind) {
			for name, f := range labelled(all.Elts) {
				if !yield(name, f) {
					return
				}
			}
		}
	}
}

// definitionsOfFile returns what the declarations of a file write as the definitions of a layer.
func definitionsOfFile(tree *ast.File, layer string) (out []*ast.StructLit) {
	for _, top := range fields(tree.Decls, layer) {
		out = append(out, fields(top.Elts, "definitions")...)
	}
	return out
}

// closedParameters blames definitions that do not write out all fields of their
// parameter: an open struct would accept every typo.
func closedParameters(field string, definitions *ast.StructLit) (problems []model.Problem) {
	for _, kind := range kindsDefined {
		for name, f := range definitionsIn(definitions.Elts, kind) {
			body, ok := f.Value.(*ast.StructLit)
			if !ok {
				continue // the schema reports it
			}
			blame := func(message string, at model.Place) {
				problems = append(problems, model.Problem{
					Code: catalogue.Parameter, Path: field + ".definitions." + kind + "." + name + ".#Parameter", Message: message, Places: []model.Place{at},
				})
			}
			parameter := fields(body.Elts, "#Parameter")
			if len(parameter) == 0 {
				blame("must be written: what the definition takes", model.Place{At: f.Label.Pos().String()})
			}
			for _, p := range parameter {
				if open := ellipsis(p); open != nil {
					blame("is open; every field that a definition takes is written out", model.Place{At: open.Pos().String(), Note: "..."})
				}
			}
		}
	}
	return problems
}

// ellipsis returns the first place where a struct is open.
func ellipsis(s *ast.StructLit) (open ast.Node) {
	ast.Walk(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ListLit:
			return false // a list may go on
		case *ast.Ellipsis:
			if open == nil {
				open = n
			}
		}
		return open == nil
	}, nil)
	return open
}
