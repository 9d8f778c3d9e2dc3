package evaluate

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/token"
)

// A form is the schema of an application under one policy, compiled: it says
// whether an application that is plain data is valid, and what it exports, for a
// third of what it costs to build its instance. Of anything else, and of an
// application that is not valid, it says nothing: the sentences and places of
// problems are those of the instance. The zero form knows nothing.
type form struct{ value cue.Value }

// newForm compiles the schema under a policy.
func newForm(policy []byte) form {
	v, err := buildValue("form", []source{bindUnder}, schemaUnder(policy), silence)
	if err != nil || v.Err() != nil {
		return form{}
	}
	return form{v}
}

// fill exports the application that files consist of. It uses them up.
func (f form) fill(files []*ast.File) (doc []byte, ok bool) {
	defer func() {
		if recover() != nil { // the instance will say why
			doc, ok = nil, false
		}
	}()
	if !f.value.Exists() {
		return nil, false
	}
	in := build.NewContext().NewInstance("data", nil)
	for _, file := range files {
		if !plain(file.Decls) || in.AddSyntax(file) != nil {
			return nil, false
		}
	}
	if in.Complete() != nil {
		return nil, false
	}
	// What is compiled in a context is never freed, but together with it.
	data := cuecontext.New().BuildInstance(in)
	if data.Err() != nil {
		return nil, false
	}
	doc, _, err := export(f.value.Unify(data), "application", "")
	return doc, err == nil && doc != nil
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
