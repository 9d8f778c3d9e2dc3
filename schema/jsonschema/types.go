package jsonschema

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
)

// tables have the fields of a component and of a step by type.
var tables = map[string]string{"#Component": "_type", "#Step": "_step"}

// variants have, for some of these types, other fields for other runtimes. Which one counts, a
// policy may say, so an editor takes any.
var variants = map[string][]string{"#Component": {"_process", "_wasm", "_nomad"}}

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
			types, all := g.byType(table, variants[name])
			s["allOf"] = append(all, g.definedTypes(name, &types)...)
			s["properties"].(map[string]shape)["type"] = shape{
				"description": "a type of the schema, or one that the platform defines",
				"anyOf":       []shape{{"enum": types}, s["properties"].(map[string]shape)["type"]},
			}
		}
		for _, d := range g.defined { // traits of the fleet
			if fields, ok := s["properties"].(map[string]shape); ok && d.Kind == "traits" && slices.Contains(kinds[d.Kind], name) && fields[d.Name] == nil {
				fields[d.Name] = d.parameter()
			}
		}
		g.defs[short] = s
	}
	return shape{"$ref": "#/$defs/" + short}
}

// byType returns the types of a table, and the fields of each, also those of other tables.
func (g *shapes) byType(table string, variants []string) (types []string, all []shape) {
	others := map[string][]shape{}
	for _, variant := range variants {
		g.entries(variant, func(name string, fields shape) { others[name] = append(others[name], shape{"properties": fields}) })
	}
	g.entries(table, func(name string, fields shape) {
		types = append(types, name)
		then := shape{"properties": fields}
		if other, ok := others[name]; ok {
			then = shape{"anyOf": append([]shape{then}, other...)}
		}
		all = append(all, shape{
			"if":   shape{"properties": shape{"type": shape{"const": name}}},
			"then": then,
		})
	})
	return types, all
}

// definedTypes returns the fields of the types that the fleet defines beside those of a definition of the schema, and adds their names.
func (g *shapes) definedTypes(of string, types *[]string) (all []shape) {
	for _, d := range g.defined {
		if !slices.Contains(kinds[d.Kind], of) || slices.Contains(*types, d.Name) {
			continue
		}
		*types = append(*types, d.Name)
		fields := shape{"properties": d.parameter()}
		if d.Kind == "components" {
			fields["traits"] = g.ref("#ServiceTraits")
		}
		all = append(all, shape{"if": shape{"properties": shape{"type": shape{"const": d.Name}}}, "then": shape{"properties": fields}})
	}
	return all
}

// entries tells the types of a table, with their fields.
func (g *shapes) entries(table string, tell func(name string, fields shape)) {
	for _, d := range g.known[table].Value.(*ast.StructLit).Elts {
		entry, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(entry.Label)
		if err != nil || name == "" {
			continue // any other type is a definition of the platform
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
		tell(name, fields)
	}
}
