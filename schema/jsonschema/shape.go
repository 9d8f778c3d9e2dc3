package jsonschema

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// plain are the types of values that are neither lists nor structs, by their names in CUE.
var plain = map[string]string{"string": "string", "number": "number", "int": "integer", "bool": "boolean"}

// of returns the shape of an expression, {} for any value.
func (g *shapes) of(x ast.Expr) shape {
	switch x := x.(type) {
	case *ast.StructLit:
		return g.object(x)
	case *ast.ParenExpr:
		return g.of(x.X)
	case *ast.ListLit:
		return g.list(x)
	case *ast.BasicLit:
		v, _ := g.value(x)
		return shape{"const": v}
	case *ast.Ident:
		switch {
		case strings.HasPrefix(x.Name, "#") && g.known[x.Name] != nil:
			return g.ref(x.Name)
		case strings.HasPrefix(x.Name, "_") && g.known[x.Name] != nil:
			return g.of(g.known[x.Name].Value)
		case plain[x.Name] != "":
			return shape{"type": plain[x.Name]}
		}
	case *ast.UnaryExpr:
		return g.bound(x)
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			g.adding++ // a struct adds to what it is unified with
			defer func() { g.adding-- }()
			return both(g.of(x.X), g.of(x.Y))
		}
		if x.Op == token.OR {
			return g.either(x)
		}
	case *ast.CallExpr:
		return g.call(x)
	}
	return shape{}
}

// bound returns the shape of a comparison.
func (g *shapes) bound(x *ast.UnaryExpr) shape {
	if x.Op == token.MAT || x.Op == token.NMAT {
		pattern, ok := g.text(x.X)
		if !ok {
			return shape{"type": "string"}
		}
		if x.Op == token.NMAT {
			return shape{"not": shape{"pattern": pattern}}
		}
		return shape{"type": "string", "pattern": pattern}
	}
	word := map[token.Token]string{token.GEQ: "minimum", token.LEQ: "maximum", token.GTR: "exclusiveMinimum", token.LSS: "exclusiveMaximum"}[x.Op]
	limit, ok := g.value(x.X)
	if word == "" || !ok {
		return shape{}
	}
	return shape{word: limit}
}

// list returns the shape of [...X] and of [X, ...].
func (g *shapes) list(x *ast.ListLit) shape {
	out := shape{"type": "array"}
	least := 0
	for _, e := range x.Elts {
		if rest, ok := e.(*ast.Ellipsis); ok {
			if rest.Type != nil {
				if items := g.of(rest.Type); len(items) > 0 {
					out["items"] = items
				}
			}
			continue
		}
		least++
	}
	if least > 0 {
		out["minItems"] = least
	}
	return out
}
