package jsonschema

import (
	"strings"

	"cuelang.org/go/cue/ast"
)

// tables have the fields of a component and of a step by type.
var tables = map[string]string{"#Component": "_type", "#Step": "_step"}

func (g *shapes) ref(name string) shape {
	short := strings.TrimPrefix(name, "#")
	if _, done := g.defs[short]; !done {
		g.defs[short] = nil // it may refer to itself
		adding := g.adding
		g.adding = 0
		s := described(g.of(g.known[name].Value), words(g.known[name]))
		if bounds := g.bounds[name]; bounds != nil {
			g.adding = 1
			s = both(s, g.of(bounds.Value))
		}
		g.adding = adding
		if table, ok := tables[name]; ok {
			var types []string
			types, s["allOf"] = g.byType(table)
			s["properties"].(map[string]shape)["type"] = shape{
				"description": "a type of the schema, or one that the platform defines",
				"anyOf":       []shape{{"enum": types}, s["properties"].(map[string]shape)["type"]},
			}
		}
		g.defs[short] = s
	}
	return shape{"$ref": "#/$defs/" + short}
}

// byType returns the types of a table, and the fields of each.
func (g *shapes) byType(table string) (types []string, all []shape) {
	for _, d := range g.known[table].Value.(*ast.StructLit).Elts {
		entry, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(entry.Label)
		if err != nil || name == "" {
			continue // any other type is a definition of the platform
		}
		types = append(types, name)
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
	return types, all
}
