package jsonschema

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// An object collects the fields of a struct, with those of embedded structs: JSON Schema
// closes an object only over its own fields.
type object struct {
	fields   map[string]shape
	required map[string]bool
	patterns map[string]shape
	open     bool
}

func (g *shapes) object(x *ast.StructLit) shape {
	o := &object{fields: map[string]shape{}, required: map[string]bool{}, patterns: map[string]shape{}}
	g.collect(o, x.Elts, true)
	if g.adding > 0 && !o.open && len(o.fields) == 0 && len(o.patterns) == 0 {
		return shape{}
	}
	out := shape{"type": "object"}
	if len(o.fields) > 0 {
		out["properties"] = o.fields
	}
	if len(o.required) > 0 {
		out["required"] = slices.Sorted(maps.Keys(o.required))
	}
	if len(o.patterns) > 0 {
		out["patternProperties"] = o.patterns
	}
	if !o.open && g.adding == 0 {
		out["additionalProperties"] = false
	}
	return out
}

// oneObject returns an object with the fields of both.
func oneObject(a, b shape) shape {
	out := maps.Clone(a)
	maps.Copy(out, b)
	for _, word := range []string{"properties", "patternProperties"} {
		fields := map[string]shape{}
		for _, s := range []shape{a, b} {
			of, _ := s[word].(map[string]shape)
			for name, s := range of {
				fields[name] = both(fields[name], s)
			}
		}
		if len(fields) > 0 {
			out[word] = fields
		}
	}
	ra, _ := a["required"].([]string)
	rb, _ := b["required"].([]string)
	if all := slices.Concat(ra, rb); len(all) > 0 {
		slices.Sort(all)
		out["required"] = slices.Compact(all)
	}
	return out
}

// collect adds declarations. A field within a condition is not always required.
func (g *shapes) collect(o *object, decls []ast.Decl, always bool) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			g.field(o, d, always)
		case *ast.Ellipsis:
			o.open = true
		case *ast.EmbedDecl:
			g.embed(o, d.Expr, always)
		case *ast.Comprehension:
			if body, ok := d.Value.(*ast.StructLit); ok && g.may(d) {
				g.collect(o, body.Elts, false)
			}
		}
	}
}

// may reports whether a document can fulfil the conditions of a comprehension that loops over
// nothing.
func (g *shapes) may(c *ast.Comprehension) bool {
	for _, clause := range c.Clauses {
		switch clause := clause.(type) {
		case *ast.ForClause:
			return false
		case *ast.IfClause:
			if holds, ok := g.value(clause.Condition); ok && holds == false {
				return false
			}
		}
	}
	return true
}

func (g *shapes) embed(o *object, x ast.Expr, always bool) {
	switch x := x.(type) {
	case *ast.StructLit:
		g.collect(o, x.Elts, always)
	case *ast.Ident:
		if known := g.known[x.Name]; known != nil {
			if s, ok := known.Value.(*ast.StructLit); ok {
				g.collect(o, s.Elts, always)
			}
		}
	default: // T.traits: the table of types has the fields
		o.open = true
	}
}

func (g *shapes) field(o *object, f *ast.Field, always bool) {
	if pattern, ok := f.Label.(*ast.ListLit); ok {
		g.pattern(o, pattern, f.Value)
		return
	}
	name, _, err := ast.LabelName(f.Label)
	if err != nil || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") {
		return
	}
	if c, ok := f.Value.(*ast.CallExpr); ok && isCall(c, "error") {
		return // it is forbidden here, and not elsewhere
	}
	s := chained(g.of(f.Value), f.Value, words(f))
	if before, ok := o.fields[name]; ok {
		s = both(before, s)
	}
	o.fields[name] = s
	if f.Constraint == token.NOT && always {
		o.required[name] = true
	}
}

// pattern adds [#Name]: X and [=~"…"]: X.
func (g *shapes) pattern(o *object, label *ast.ListLit, value ast.Expr) {
	if len(label.Elts) != 1 {
		return
	}
	if c, ok := value.(*ast.CallExpr); ok && isCall(c, "error") {
		return
	}
	of := g.of(label.Elts[0])
	if name, ok := of["$ref"].(string); ok {
		of, _ = g.defs[strings.TrimPrefix(name, "#/$defs/")].(shape)
	}
	pattern := patternIn(of)
	if pattern == "" {
		o.open = true
		return
	}
	o.patterns[pattern] = g.of(value)
}

func patternIn(s shape) string {
	if p, ok := s["pattern"].(string); ok {
		return p
	}
	if all, ok := s["allOf"].([]shape); ok {
		for _, s := range all {
			if p := patternIn(s); p != "" {
				return p
			}
		}
	}
	return ""
}
