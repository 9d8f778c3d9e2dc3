package jsonschema

import (
	"maps"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// either returns the shape of alternatives. One that is an error has their words.
func (g *shapes) either(x *ast.BinaryExpr) shape {
	var alternatives []shape
	var values []any
	var preferred any
	var text string
	var visit func(x ast.Expr) bool
	visit = func(x ast.Expr) bool {
		if or, ok := x.(*ast.BinaryExpr); ok && or.Op == token.OR {
			return visit(or.X) && visit(or.Y)
		}
		if paren, ok := x.(*ast.ParenExpr); ok {
			return visit(paren.X)
		}
		if mark, ok := x.(*ast.UnaryExpr); ok && mark.Op == token.MUL {
			preferred, _ = g.value(mark.X)
			return true
		}
		if c, ok := x.(*ast.CallExpr); ok && isCall(c, "error") {
			text = g.sentence(c)
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
		return described(shape{}, text)
	}
	if len(values) > 0 {
		if preferred != nil {
			values = append([]any{preferred}, values...)
		}
		alternatives = append(alternatives, shape{"enum": values})
	}
	s := shape{}
	switch len(alternatives) {
	case 0:
	case 1:
		s = maps.Clone(alternatives[0])
	default:
		s["anyOf"] = alternatives
	}
	if preferred != nil {
		s["default"] = preferred
	}
	return described(s, text)
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
	if a["type"] == "number" && b["type"] == "integer" {
		a = maps.Clone(a)
		a["type"] = "integer"
	}
	if of, ok := a["items"].(shape); ok && b["items"] != nil {
		a, b = maps.Clone(a), maps.Clone(b)
		a["items"] = both(of, b["items"].(shape))
		delete(b, "items")
	}
	for k := range b {
		if k == "type" && a[k] == b[k] || k == "description" || k == "default" {
			continue
		}
		if _, twice := a[k]; twice || k == "additionalProperties" {
			return shape{"allOf": []shape{a, b}}
		}
	}
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}
