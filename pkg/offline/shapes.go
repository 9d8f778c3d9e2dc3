package offline

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/schema/jsonschema"
)

// shapes are the JSON Schema of a layer. They tell what a text means that people write for a value.
type shapes struct {
	layer string
	root  map[string]any
}

// shapesOf returns the shapes of a layer.
func shapesOf(layer string) (shapes, error) {
	s := shapes{layer: layer}
	b, err := jsonschema.Of(layer)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s.root)
}

// typed returns the value that a text means at a path of the layer. What the schema takes for a string is one; else numbers,
// truth values, and always lists, objects and quoted strings are read as JSON.
func (s shapes) typed(path []string, types map[string]string, said string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(said))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		return said
	}
	wants := s.wants(s.root, append([]string{s.layer}, path...), nil, types)
	is := "null"
	switch v.(type) {
	case string, []any, map[string]any:
		return v
	case json.Number:
		is = "number"
	case bool:
		is = "boolean"
	}
	if slices.Contains(wants, "string") && !slices.Contains(wants, is) {
		return said
	}
	return v
}

// wants returns the types of JSON that a shape takes at a path; none if it does not tell.
func (s shapes) wants(shape any, path, behind []string, types map[string]string) (out []string) {
	node, ok := shape.(map[string]any)
	if !ok {
		return nil
	}
	add := func(more any, path, behind []string) { out = append(out, s.wants(more, path, behind, types)...) }
	if ref, ok := node["$ref"].(string); ok {
		defs, _ := s.root["$defs"].(map[string]any)
		add(defs[strings.TrimPrefix(ref, "#/$defs/")], path, behind)
	}
	for _, all := range []string{"anyOf", "allOf"} {
		list, _ := node[all].([]any)
		for _, x := range list {
			add(x, path, behind)
		}
	}
	if then, ok := node["then"]; ok && len(behind) > 0 && types[joinPath(behind[1:])] == constOfType(node["if"]) {
		add(then, path, behind)
	}
	if len(path) == 0 {
		if list, ok := node["enum"].([]any); ok {
			for _, v := range append(list, node["const"]) {
				if _, is := v.(string); is {
					out = append(out, "string")
				}
			}
		}
		if is, ok := node["type"].(string); ok {
			out = append(out, strings.Replace(is, "integer", "number", 1))
		}
		return out
	}
	next := append(slices.Clip(behind), path[0])
	fields, _ := node["properties"].(map[string]any)
	if field, ok := fields[path[0]]; ok {
		add(field, path[1:], next)
		return out
	}
	patterns, _ := node["patternProperties"].(map[string]any)
	for pattern, field := range patterns {
		if fits, err := regexp.MatchString(pattern, path[0]); err == nil && fits {
			add(field, path[1:], next)
		}
	}
	add(node["additionalProperties"], path[1:], next)
	if items, ok := node["items"]; ok {
		add(items, path[1:], next)
	}
	return out
}

// constOfType returns the type of component or step that a condition of a shape is about.
func constOfType(condition any) string {
	node, _ := condition.(map[string]any)
	fields, _ := node["properties"].(map[string]any)
	of, _ := fields["type"].(map[string]any)
	name, _ := of["const"].(string)
	return name
}

// builtIn returns the types of components or steps that every platform has.
func (s shapes) builtIn(def string) (names []string) {
	defs, _ := s.root["$defs"].(map[string]any)
	node, _ := defs[def].(map[string]any)
	list, _ := node["allOf"].([]any)
	for _, x := range list {
		if about, ok := x.(map[string]any); ok {
			if name := constOfType(about["if"]); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// of returns what a type of component or step has in a field: properties or traits. Of several forms it is the first.
func (s shapes) of(def, name, field string) map[string]any {
	defs, _ := s.root["$defs"].(map[string]any)
	node, _ := defs[def].(map[string]any)
	list, _ := node["allOf"].([]any)
	for _, x := range list {
		about, _ := x.(map[string]any)
		if constOfType(about["if"]) != name {
			continue
		}
		then, _ := about["then"].(map[string]any)
		if forms, several := then["anyOf"].([]any); several && len(forms) > 0 {
			then, _ = forms[0].(map[string]any)
		}
		fields, _ := then["properties"].(map[string]any)
		to, _ := fields[field].(map[string]any)
		if ref, ok := to["$ref"].(string); ok {
			to, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		return to
	}
	return nil
}

// about describes a type of component or step.
func (s shapes) about(def, name string) string {
	said, _ := s.of(def, name, "properties")["description"].(string)
	return said
}

// traits returns the traits that every platform has.
func (s shapes) traits() (out []OfferedType) {
	for _, of := range s.builtIn("Component") {
		fields, _ := s.of("Component", of, "traits")["properties"].(map[string]any)
		for name, shape := range fields {
			i := slices.IndexFunc(out, func(t OfferedType) bool { return t.Name == name })
			if i < 0 {
				node, _ := shape.(map[string]any)
				said, _ := node["description"].(string)
				i, out = len(out), append(out, OfferedType{Name: name, About: said})
			}
			out[i].Types = append(out[i].Types, of)
		}
	}
	slices.SortFunc(out, func(a, b OfferedType) int { return strings.Compare(a.Name, b.Name) })
	return out
}
