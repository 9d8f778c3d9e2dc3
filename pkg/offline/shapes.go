package offline

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema/jsonschema"
)

// shapes are the JSON Schema of a layer. They tell what a text means that people write for a value.
type shapes struct {
	layer string
	root  gjson.Result
	defs  map[string]gjson.Result
}

// shapesOf returns the shapes of a layer.
func shapesOf(layer string) (shapes, error) {
	b, err := jsonschema.Of(layer)
	root := gjson.ParseBytes(b)
	return shapes{layer, root, root.Get("$defs").Map()}, err
}

// behind returns the shape that a reference means.
func (s shapes) behind(shape gjson.Result) gjson.Result {
	return s.defs[strings.TrimPrefix(shape.Get("$ref").Str, "#/$defs/")]
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
func (s shapes) wants(shape gjson.Result, path, behind []string, types map[string]string) (out []string) {
	if !shape.IsObject() {
		return nil
	}
	add := func(more gjson.Result, path, behind []string) {
		out = append(out, s.wants(more, path, behind, types)...)
	}
	add(s.behind(shape), path, behind)
	for _, x := range slices.Concat(shape.Get("anyOf").Array(), shape.Get("allOf").Array()) {
		add(x, path, behind)
	}
	if then := shape.Get("then"); then.Exists() && len(behind) > 0 && types[joinPath(behind[1:])] == constOfType(shape.Get("if")) {
		add(then, path, behind)
	}
	if len(path) == 0 {
		if list := shape.Get("enum"); list.Exists() {
			for _, v := range append(list.Array(), shape.Get("const")) {
				if v.Type == gjson.String {
					out = append(out, "string")
				}
			}
		}
		if is := shape.Get("type"); is.Type == gjson.String {
			out = append(out, strings.Replace(is.Str, "integer", "number", 1))
		}
		return out
	}
	next := append(slices.Clip(behind), path[0])
	if field, ok := shape.Get("properties").Map()[path[0]]; ok {
		add(field, path[1:], next)
		return out
	}
	for pattern, field := range shape.Get("patternProperties").Map() {
		if fits, err := regexp.MatchString(pattern, path[0]); err == nil && fits {
			add(field, path[1:], next)
		}
	}
	add(shape.Get("additionalProperties"), path[1:], next)
	add(shape.Get("items"), path[1:], next)
	return out
}

// constOfType returns the type of component or step that a condition of a shape is about.
func constOfType(condition gjson.Result) string { return condition.Get("properties.type.const").Str }

// builtIn returns the types of components or steps that every platform has.
func (s shapes) builtIn(def string) (names []string) {
	for _, x := range s.defs[def].Get("allOf").Array() {
		if name := constOfType(x.Get("if")); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// of returns what a type of component or step has in a field: properties or traits. Of several forms it is the first.
func (s shapes) of(def, name, field string) gjson.Result {
	for _, x := range s.defs[def].Get("allOf").Array() {
		if constOfType(x.Get("if")) != name {
			continue
		}
		then := x.Get("then")
		if forms := then.Get("anyOf").Array(); len(forms) > 0 {
			then = forms[0]
		}
		to := then.Get("properties").Get(field)
		if to.Get("$ref").Exists() {
			to = s.behind(to)
		}
		return to
	}
	return gjson.Result{}
}

// about describes a type of component or step.
func (s shapes) about(def, name string) string {
	return s.of(def, name, "properties").Get("description").Str
}

// traits returns the traits that every platform has.
func (s shapes) traits() (out []OfferedType) {
	for _, of := range s.builtIn("Component") {
		for name, shape := range s.of("Component", of, "traits").Get("properties").Map() {
			i := slices.IndexFunc(out, func(t OfferedType) bool { return t.Name == name })
			if i < 0 {
				i, out = len(out), append(out, OfferedType{Name: name, About: shape.Get("description").Str})
			}
			out[i].Types = append(out[i].Types, of)
		}
	}
	slices.SortFunc(out, func(a, b OfferedType) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// SchemaOf returns a layer as JSON Schema, with what the platform of a fleet defines, and a tenant, if one is named.
func SchemaOf(layer string, files fs.FS, tenant string) ([]byte, error) {
	var defined []jsonschema.Definition
	for _, by := range definers(tenant) {
		written, err := layerFiles(files, by.dir)
		if err != nil {
			return nil, err
		}
		for _, f := range written {
			defined = append(defined, jsonschema.Definitions(by.layer, f.Data)...)
		}
	}
	return jsonschema.Of(layer, defined...)
}

// definer is a layer that can define types.
type definer struct{ dir, layer string }

// definers returns the layers whose definitions a tenant can use; without one, those that everybody can use.
func definers(tenant string) []definer {
	list := []definer{{".", "platform"}}
	if model.ValidName(tenant) {
		list = append(list, definer{"tenants/" + tenant, "tenant"})
	}
	return list
}

// Schema returns a layer of the base as JSON Schema, with what a tenant can use.
func (b *Base) Schema(layer, tenant string) ([]byte, error) {
	return SchemaOf(layer, b.was.files, tenant)
}
