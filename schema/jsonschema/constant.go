package jsonschema

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"

	"github.com/d-aros/d-aros/schema"
)

// value evaluates an expression of constants. P and A stand for the policy of the layer above:
// for the widest one, with the defaults of D-AROS. It reports whether the expression has a value
// in every fleet.
func (g *shapes) value(x ast.Expr) (v any, ok bool) {
	if g.foreign {
		return literalOf(x)
	}
	source, err := format.Node(x)
	if err != nil {
		return nil, false
	}
	in := g.ctx.CompileString("P: _widest & {defaults: _builtin.defaults}\nA: P\nvalue: "+string(source),
		cue.Scope(g.scope), cue.ImportPath(schema.ImportPath))
	err = in.LookupPath(cue.ParsePath("value")).Decode(&v)
	return v, err == nil
}

// text evaluates a string that is made of constants.
func (g *shapes) text(x ast.Expr) (string, bool) {
	v, _ := g.value(x)
	s, ok := v.(string)
	return s, ok
}

// call returns the shape of a call whose arguments are constants.
func (g *shapes) call(x *ast.CallExpr) shape {
	switch {
	case isCall(x, "strings.MaxRunes"):
		if n, ok := g.value(x.Args[0]); ok {
			return shape{"type": "string", "maxLength": n}
		}
	case isCall(x, "list.UniqueItems"):
		return shape{"uniqueItems": true}
	case isCall(x, "or"):
		if list, ok := g.value(x.Args[0]); ok {
			return shape{"enum": list}
		}
	}
	return shape{}
}

func isCall(x *ast.CallExpr, name string) bool {
	source, err := format.Node(x.Fun)
	return err == nil && string(source) == name
}
