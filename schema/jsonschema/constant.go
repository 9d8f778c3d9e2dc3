package jsonschema

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
)

// text evaluates a string that is made of constants of the schema.
func (g *shapes) text(x ast.Expr) (string, bool) {
	source, err := format.Node(x)
	if err != nil {
		return "", false
	}
	v := cuecontext.New().CompileString(g.syntax + "text: " + string(source))
	s, err := v.LookupPath(cue.ParsePath("text")).String()
	return s, err == nil
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
	source, err := format.Node(x.Fun)
	return err == nil && string(source) == name
}

// constant is the value of a literal.
func constant(x *ast.BasicLit) (v any) {
	if cuecontext.New().CompileString(x.Value).Decode(&v) != nil {
		return nil
	}
	return v
}
