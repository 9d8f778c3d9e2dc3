package layer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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

// definitionsOf returns the definitions of the platform as a CUE file without outside
// references, "" if there are none. An application needs only these and the policy of
// the platform.
func definitionsOf(platform *Layer) (source string, problems []model.Problem) {
	out := &ast.File{Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent("definitions")}}}
	found := false
	for _, f := range platform.Files {
		if !bytes.Contains(f.Data, []byte("definitions")) {
			continue
		}
		tree, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			continue // reported already
		}
		var written []*ast.StructLit
		for _, top := range fields(tree.Decls, "platform") {
			written = append(written, fields(top.Elts, "definitions")...)
		}
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
			problems = append(problems, closedParameters(s)...)
			out.Decls = append(out.Decls, s.Elts...)
		}
	}
	if !found || len(problems) > 0 {
		return "", problems
	}
	if err := astutil.SanitizeFiles([]*ast.File{out}); err != nil {
		return "", []model.Problem{platform.Blame(catalogue.Definition, "platform.definitions", "does not stand by itself: "+text.Clean(err.Error()))}
	}
	formatted, err := format.Node(out)
	if err != nil {
		return "", []model.Problem{platform.Blame(catalogue.Definition, "platform.definitions", "cannot be written by itself: "+text.Clean(err.Error()))}
	}
	if err := compileDefinitions(string(formatted)).value.Err(); err != nil {
		path := "platform.definitions"
		if in := pathOf(errors.Errors(err)[0]); len(in) > 1 {
			path += "." + strings.Join(in[:2], ".")
		}
		return "", []model.Problem{platform.Blame(catalogue.Definition, path,
			"does not stand by itself; a definition speaks of parameter, context and the standard library: "+text.Clean(err.Error()))}
	}
	return string(formatted), nil
}

// fields returns the structs that declarations write as the value of a field.
func fields(decls []ast.Decl, name string) (out []*ast.StructLit) {
	for _, d := range decls {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		s, isStruct := f.Value.(*ast.StructLit)
		if label, _, err := ast.LabelName(f.Label); err == nil && label == name && isStruct {
			out = append(out, s)
		}
	}
	return out
}

// closedParameters blames definitions that do not write out all fields of their
// parameter: an open struct would accept every typo.
func closedParameters(definitions *ast.StructLit) (problems []model.Problem) {
	for _, kind := range []string{"components", "traits", "steps"} {
		for _, named := range fields(definitions.Elts, kind) {
			for _, d := range named.Elts {
				f, ok := d.(*ast.Field)
				if !ok {
					continue
				}
				name, _, _ := ast.LabelName(f.Label)
				body, ok := f.Value.(*ast.StructLit)
				if !ok {
					continue // the schema reports it
				}
				path := "platform.definitions." + kind + "." + name + ".#Parameter"
				parameter := fields(body.Elts, "#Parameter")
				if len(parameter) == 0 {
					problems = append(problems, model.Problem{
						Code: catalogue.Parameter, Path: path, Message: "must be written: what the definition takes",
						Places: []model.Place{{At: f.Label.Pos().String()}},
					})
				}
				for _, p := range parameter {
					if open := ellipsis(p); open != nil {
						problems = append(problems, model.Problem{
							Code: catalogue.Parameter, Path: path, Message: "is open; every field that a definition takes is written out",
							Places: []model.Place{{At: open.Pos().String(), Note: "..."}},
						})
					}
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

// definitions are those of a platform, compiled in a context of their own.
type definitions struct {
	ctx   *cue.Context
	value cue.Value
}

func compileDefinitions(text string) definitions {
	ctx := cuecontext.New()
	return definitions{ctx, ctx.CompileString(text, cue.Filename("definitions.cue"))}
}

// has reports whether there is a definition of a name.
func (d definitions) has(kind, name string) bool {
	return d.value.LookupPath(cue.MakePath(cue.Str(kind), cue.Str(name))).Exists()
}

// usedIn reports whether an application has a component, a trait or a step of a definition.
func (d definitions) usedIn(doc []byte) bool {
	var a struct {
		Components map[string]struct {
			Type   string
			Traits map[string]any
		}
		Workflow struct{ Steps []struct{ Type string } }
	}
	if json.Unmarshal(doc, &a) != nil {
		return true
	}
	for _, c := range a.Components {
		if d.has("components", c.Type) {
			return true
		}
		for trait := range c.Traits {
			if d.has("traits", trait) {
				return true
			}
		}
	}
	for _, s := range a.Workflow.Steps {
		if d.has("steps", s.Type) {
			return true
		}
	}
	return false
}

// output returns the output of a definition for a parameter, or the problems of the
// parameter. An error is about the definition.
func (d definitions) output(kind, name string, parameter []byte, context map[string]string, wrong func(error, cue.Value) []model.Problem) (out []byte, problems []model.Problem, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the CUE evaluator gave up: %v", e)
		}
	}()
	definition := d.value.LookupPath(cue.MakePath(cue.Str(kind), cue.Str(name)))
	given := d.ctx.CompileBytes(parameter)
	checked := definition.LookupPath(cue.MakePath(cue.Def("#Parameter"))).Unify(given)
	if err := checked.Validate(cue.Concrete(true), cue.Final()); err != nil {
		return nil, wrong(err, checked), nil
	}
	value := definition.FillPath(cue.ParsePath("parameter"), given).FillPath(cue.ParsePath("context"), context).LookupPath(cue.ParsePath("output"))
	if err := value.Validate(cue.Concrete(true), cue.Final()); err != nil {
		return nil, nil, err
	}
	out, err = value.MarshalJSON()
	return out, nil, err
}
