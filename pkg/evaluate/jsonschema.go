package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/schema"
)

// JSONSchema returns the shape of the documents of a layer (platform, tenant,
// application) as JSON Schema, draft 2020-12, for editors and other tools. It is
// derived from the schema: fields, what is required, patterns, and bounds that are
// the same for everybody. What depends on the policy of a fleet, and what CUE
// computes, is left out: a document that it accepts may still be refused.
func JSONSchema(layer string) ([]byte, error) {
	root := map[string]string{"platform": "#Platform", "tenant": "#Tenant", "application": "#Application"}[layer]
	if root == "" {
		return nil, fmt.Errorf("make a JSON schema: there is no layer %q; layers are platform, tenant and application", layer)
	}
	g := &shapes{known: map[string]ast.Expr{}, defs: map[string]any{}}
	for _, f := range schema.Files() {
		if strings.HasSuffix(f.Name, "_policy.cue") {
			continue // it bounds what the files of shapes say
		}
		tree, err := parser.ParseFile(f.Name, f.Data, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("make a JSON schema of %s: %w", f.Name, err)
		}
		for _, d := range tree.Decls {
			if field, ok := d.(*ast.Field); ok {
				if name, _, err := ast.LabelName(field.Label); err == nil {
					g.known[name] = field.Value
				}
			}
		}
	}
	out := shape{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     "https://" + schema.ImportPath + "/" + layer + ".schema.json",
		"title":   "D-AROS: the " + layer,
		"type":    "object", "additionalProperties": false, "required": []string{layer},
		"properties": shape{layer: g.ref(root)},
	}
	out["$defs"] = g.defs
	return json.MarshalIndent(out, "", "  ")
}

type shape = map[string]any

// shapes makes shapes of the definitions of the schema, as they are needed.
type shapes struct {
	known  map[string]ast.Expr
	defs   map[string]any
	adding int // how many unifications the expression stands in
}

// tables say by type what stands in the fields of a component and of a step.
var tables = map[string]string{"#Component": "_type", "#Step": "_step"}

func (g *shapes) ref(name string) shape {
	short := strings.TrimPrefix(name, "#")
	if _, done := g.defs[short]; !done {
		g.defs[short] = nil // it may refer to itself
		adding := g.adding
		g.adding = 0
		s := g.of(g.known[name])
		g.adding = adding
		if table, ok := tables[name]; ok {
			s["allOf"] = g.byType(table)
		}
		g.defs[short] = s
	}
	return shape{"$ref": "#/$defs/" + short}
}

// byType says for each type of a table what its fields are.
func (g *shapes) byType(table string) (all []shape) {
	for _, d := range g.known[table].(*ast.StructLit).Elts {
		entry, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(entry.Label)
		if err != nil || name == "" {
			continue // any other type is the platform's
		}
		fields := shape{}
		for _, d := range entry.Value.(*ast.StructLit).Elts {
			field, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			if id, ok := field.Value.(*ast.Ident); ok && strings.HasPrefix(id.Name, "#") {
				label, _, _ := ast.LabelName(field.Label)
				fields[label] = g.ref(id.Name)
			}
		}
		all = append(all, shape{
			"if":   shape{"properties": shape{"type": shape{"const": name}}},
			"then": shape{"properties": fields},
		})
	}
	return all
}

// of is the shape of an expression, {} if nothing is known of it.
func (g *shapes) of(x ast.Expr) shape {
	switch x := x.(type) {
	case *ast.StructLit:
		return g.object(x)
	case *ast.ParenExpr:
		return g.of(x.X)
	case *ast.ListLit:
		return g.list(x)
	case *ast.BasicLit:
		return shape{"const": constant(x)}
	case *ast.Ident:
		switch {
		case strings.HasPrefix(x.Name, "#") && g.known[x.Name] != nil:
			return g.ref(x.Name)
		case x.Name == "string", x.Name == "number":
			return shape{"type": x.Name}
		case x.Name == "int":
			return shape{"type": "integer"}
		case x.Name == "bool":
			return shape{"type": "boolean"}
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
		return call(x)
	}
	return shape{}
}

// either is the shape of alternatives. Sentences are none.
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
					return true // a value of the policy, of the form of the others
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

// both is the shape of what has two shapes.
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

// bound is the shape of a comparison with a constant.
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
	limit, ok := x.X.(*ast.BasicLit)
	if word == "" || !ok {
		return shape{}
	}
	return shape{word: constant(limit)}
}

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

// list is the shape of [...X] and of [X, ...].
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
