package jsonschema

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// text evaluates a string that is made of constants of the schema.
func (g *shapes) text(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		s, err := literal.Unquote(x.Value)
		return s, err == nil
	case *ast.SelectorExpr:
		table, ok := x.X.(*ast.Ident)
		if !ok || g.known[table.Name] == nil {
			return "", false
		}
		label, _, _ := ast.LabelName(x.Sel)
		constants, _ := g.known[table.Name].(*ast.StructLit)
		for _, d := range constants.Elts {
			if f, ok := d.(*ast.Field); ok {
				if name, _, _ := ast.LabelName(f.Label); name == label {
					return g.text(f.Value)
				}
			}
		}
	case *ast.Interpolation:
		return g.interpolated(x)
	}
	return "", false
}

func (g *shapes) interpolated(x *ast.Interpolation) (string, bool) {
	first, ok := x.Elts[0].(*ast.BasicLit)
	last, ok2 := x.Elts[len(x.Elts)-1].(*ast.BasicLit)
	if !ok || !ok2 {
		return "", false
	}
	info, prefix, _, err := literal.ParseQuotes(first.Value, last.Value)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	for i, e := range x.Elts {
		if i%2 == 1 {
			part, ok := g.text(e)
			if !ok {
				return "", false
			}
			b.WriteString(part)
			continue
		}
		s := e.(*ast.BasicLit).Value
		if i == 0 {
			s = s[prefix:]
		} else {
			s = strings.TrimPrefix(s, ")") // that ends what is put in
		}
		if s, err = info.Unquote(s); err != nil {
			return "", false
		}
		b.WriteString(s)
	}
	return b.String(), true
}

// call is the shape of a call whose arguments are constants.
func call(x *ast.CallExpr) shape {
	if isCall(x, "strings.MaxRunes") {
		if n, ok := x.Args[0].(*ast.BasicLit); ok {
			return shape{"type": "string", "maxLength": constant(n)}
		}
	}
	return shape{}
}

func isCall(x *ast.CallExpr, name string) bool {
	switch f := x.Fun.(type) {
	case *ast.Ident:
		return f.Name == name
	case *ast.SelectorExpr:
		pkg, ok := f.X.(*ast.Ident)
		label, _, _ := ast.LabelName(f.Sel)
		return ok && pkg.Name+"."+label == name
	}
	return false
}

func constant(x *ast.BasicLit) any {
	switch x.Kind {
	case token.TRUE, token.FALSE:
		return x.Kind == token.TRUE
	case token.NULL:
		return nil
	case token.STRING:
		s, _ := literal.Unquote(x.Value)
		return s
	}
	number := strings.ReplaceAll(x.Value, "_", "")
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(number, 64)
	return f
}
