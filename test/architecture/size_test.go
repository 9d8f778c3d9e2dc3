package architecture

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// A type above these is an object that too much of its package reaches into: pass
// values between stages, or split it by subject.
const (
	mostFields  = 12
	mostMethods = 25
)

// size is how large a type is. Functions with the type as their first parameter
// count as methods.
type size struct{ fields, methods int }

func TestTypesStaySmall(t *testing.T) {
	p := readPicture(t)
	for _, f := range folders(t) {
		if line := p.line(f.dir); f.support() || !slices.Contains(pure, line) && f.dir != "pkg/reconcile" {
			continue
		}
		for name, n := range typeSizes(f.production()) {
			if f.dir == "pkg/model" {
				n.fields = 0 // the nouns have as many fields as people need
			}
			if n.fields > mostFields || n.methods > mostMethods {
				t.Errorf("%s.%s has %d fields and %d methods, at most %d and %d: pass values between stages, or split it by subject",
					f.dir, name, n.fields, n.methods, mostFields, mostMethods)
			}
		}
	}
}

// typeSizes counts the fields and methods of the types of one package. Fields of
// JSON records, which have tags, do not count.
func typeSizes(files []*file) map[string]size {
	sizes := map[string]size{}
	for _, file := range files {
		for _, decl := range file.syntax.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					sizes[s.Name.Name] = size{fields: fieldsOf(s.Type)}
				}
			}
		}
	}
	for _, file := range files {
		for _, decl := range file.syntax.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first := d.Recv
			if first == nil {
				first = d.Type.Params
			}
			if len(first.List) == 0 {
				continue
			}
			if n, own := sizes[baseName(first.List[0].Type)]; own {
				n.methods++
				sizes[baseName(first.List[0].Type)] = n
			}
		}
	}
	return sizes
}

// fieldsOf counts the fields of a struct, an embedded one as one field.
func fieldsOf(t ast.Expr) (n int) {
	s, ok := t.(*ast.StructType)
	if !ok {
		return 0
	}
	for _, f := range s.Fields.List {
		if f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`) {
			return 0
		}
		n += max(1, len(f.Names))
	}
	return n
}

// baseName is the name of a type of the same package, behind a pointer or with type
// arguments, "" for any other.
func baseName(t ast.Expr) string {
	switch x := t.(type) {
	case *ast.StarExpr:
		return baseName(x.X)
	case *ast.IndexExpr:
		return baseName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
