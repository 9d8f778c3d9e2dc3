package jsonschema

import (
	"maps"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// either returns the shape of alternatives, without those that are sentences.
func (g *shapes) either(x *ast.BinaryExpr) shape {
	var alternatives []shape
	var values []any
	var visit func(x ast.Expr) bool
	visit = func(x ast.Expr) bool {
		if or, ok := x.(*ast.BinaryExpr); ok && or.Op == token.OR {
			return visit(or.X) && visit(or.Y)
		}
		if paren, ok := x.(*ast.ParenExpr); ok {
			return visit(paren.X)
		}
		if mark, ok := x.(*ast.UnaryExpr); ok && mark.Op == token.MUL {
			x = mark.X
			if _, constant := x.(*ast.BasicLit); !constant {
				if _, list := x.(*ast.ListLit); !list {
					return true // a value of the policy, of the same shape as the others
				}
			}
		}
		if c, ok := x.(*ast.CallExpr); ok && isCall(c, "error") {
			return true
		}
		s := g.of(x)
		if len(s) == 0 {
			return false // anything
		}
		if v, ok := s["const"]; ok {
			values = append(values, v)
			return true
		}
		alternatives = append(alternatives, s)
		return true
	}
	if !visit(x) {
		return shape{}
	}
	if values != nil {
		alternatives = append(alternatives, shape{"enum": values})
	}
	switch len(alternatives) {
	case 0:
		return shape{}
	case 1:
		return alternatives[0]
	}
	return shape{"anyOf": alternatives}
}

// both returns the shape of values that have two shapes.
func both(a, b shape) shape {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	if a["type"] == "object" && b["type"] == "object" {
		return oneObject(a, b)
	}
	for k := range b {
		if k == "type" && a[k] == b[k] {
			continue
		}
		if _, twice := a[k]; twice || k == "additionalProperties" {
			return shape{"allOf": []shape{a, b}}
		}
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
