package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/schema"
)

// A form is the schema of applications, compiled: it says whether an application
// that is plain data is valid under a policy, and what it exports, for half of
// what it costs to build its instance. Of anything else, and of an application
// that is not valid, it says nothing: the sentences and places of problems are
// those of the instance. It may be filled side by side. The zero form knows nothing.
type form struct{ value cue.Value }

// newForm compiles the schema, which costs as much as an application.
func newForm() form {
	v, err := buildValue("form", []source{bindUnder}, schemaUnder([]byte("_")), silence)
	if err != nil || v.Err() != nil {
		return form{}
	}
	return form{v}
}

// fill exports the application that files consist of. It uses them up.
func (f form) fill(policy []byte, files []*ast.File) (doc []byte, ok bool) {
	defer func() {
		if recover() != nil { // the instance will say why
			doc, ok = nil, false
		}
	}()
	if !f.value.Exists() || slices.ContainsFunc(files, func(f *ast.File) bool { return !plain(f.Decls) }) {
		return nil, false
	}
	under, err := parser.ParseFile("policy.cue", fmt.Appendf(nil, "package schema\n\napplication: _policy: %s\n", policy))
	if err != nil {
		return nil, false
	}
	// What is compiled in a context is never freed, but together with it.
	ctx := cuecontext.New()
	data, ok := compile(ctx, "fleet", files)
	if !ok {
		return nil, false
	}
	above, ok := compile(ctx, schema.ImportPath, []*ast.File{under}) // hidden fields belong to a package
	if !ok {
		return nil, false
	}
	doc, _, err = export(f.value.Unify(data.Unify(above)), "application", "")
	return doc, err == nil && doc != nil
}

// compile makes the value of a package that imports nothing.
func compile(ctx *cue.Context, path string, files []*ast.File) (cue.Value, bool) {
	in := build.NewContext().NewInstance(path, nil)
	in.ImportPath = path
	for _, file := range files {
		if in.AddSyntax(file) != nil {
			return cue.Value{}, false
		}
	}
	if in.Complete() != nil {
		return cue.Value{}, false
	}
	v := ctx.BuildInstance(in)
	return v, v.Err() == nil
}

// plain says whether declarations are nothing but values. References and the
// like see what the schema adds, so they have their meaning in the instance only.
func plain(decls []ast.Decl) bool {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Package, *ast.CommentGroup:
		case *ast.Field:
			name, _, err := ast.LabelName(d.Label)
			if _, aliased := d.Label.(*ast.Alias); aliased || err != nil || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") ||
				d.Constraint != token.ILLEGAL || d.Alias != nil || !plainValue(d.Value) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func plainValue(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		_, number := x.X.(*ast.BasicLit)
		return number && x.Op == token.SUB
	case *ast.StructLit:
		return plain(x.Elts)
	case *ast.ListLit:
		return !slices.ContainsFunc(x.Elts, func(e ast.Expr) bool { return !plainValue(e) })
	}
	return false
}

// silence takes the sentences out of a schema file: an alternative that is an
// error makes nothing valid.
func silence(f *ast.File) {
	astutil.Apply(f, nil, func(c astutil.Cursor) bool {
		or, ok := c.Node().(*ast.BinaryExpr)
		if !ok || or.Op != token.OR {
			return true
		}
		if call, ok := or.Y.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "error" {
				c.Replace(or.X)
			}
		}
		return true
	})
}
