package layer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// withDefinitions adds definitions to a policy in force.
func withDefinitions(policy []byte, all Definitions) []byte {
	var d map[string]json.RawMessage
	if all.Texts == nil && all.Withdrawn == nil || json.Unmarshal(policy, &d) != nil {
		return policy
	}
	d["definitions"] = asJSON(all)
	return asJSON(d)
}

// An expansion replaces the names of definitions in an application by their outputs. The
// result uses only words of the schema, and the policy bounds it like any application.
type expansion struct {
	app      model.AppID
	own      *Layer
	known    *defined
	used     map[string]string // definition by component
	problems []model.Problem
}

// expand returns the application of own with the outputs of definitions in place of their
// names, nil if it uses none, and by component the definition and what it says of what is
// live. The trees are of its files and of the packages that they import. It keeps compiled
// definitions in known, if there is one.
func expand(app model.AppID, policy []byte, own *Layer, trees []*ast.File, known *defined) (files []Source, used, health map[string]string, problems []model.Problem) {
	if !bytes.Contains(policy, []byte(`"definitions":`)) {
		return nil, nil, nil, nil
	}
	var above struct {
		Defined     struct{ Components, Traits, Steps []string }
		Definitions Definitions
	}
	if err := json.Unmarshal(policy, &above); err != nil {
		return nil, nil, nil, []model.Problem{GaveUp(ApplicationDir(app), err)}
	}
	names := slices.Concat(above.Defined.Components, above.Defined.Traits, above.Defined.Steps)
	if !slices.ContainsFunc(trees, func(f *ast.File) bool { return mentions(f, names) }) {
		return nil, nil, nil, nil
	}
	doc, _, problems := own.export("", []*Layer{own}, func(files []Source) (cue.Value, error) {
		return buildValue(ApplicationDir(app), files, schemaFiles(), own.Library...)
	})
	x := &expansion{app: app, own: own, known: known.of(above.Definitions.Texts), used: map[string]string{}}
	if problems != nil {
		// An application that uses defaults of the schema cannot stand without it. It may still
		// use no definition.
		if doc, _ := underPolicy(ApplicationDir(app), policy, own); doc != nil && !x.known.usedIn(doc) {
			return nil, nil, nil, nil
		}
		return nil, nil, nil, x.withoutValues(problems)
	}
	a, err := readFields(doc)
	if err != nil {
		return nil, nil, nil, []model.Problem{GaveUp(ApplicationDir(app), err)}
	}
	x.components(a)
	x.steps(a)
	if x.problems != nil {
		return nil, nil, nil, x.withoutValues(x.problems)
	}
	text := append([]byte("package fleet\n\napplication: "), asJSON(a)...)
	health = map[string]string{}
	for component, definition := range x.used {
		if source := above.Definitions.Health[definition]; source != "" {
			health[component] = source + "context: " + string(asJSON(x.context(component))) + "\n"
		}
	}
	return []Source{{own.Files[0].Name, text}}, x.used, health, nil
}

// mentions reports whether CUE has one of the names as a text or a field. It tells most
// applications that use no definition without evaluating them.
func mentions(in ast.Node, names []string) (found bool) {
	ast.Walk(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.Ident:
			found = found || slices.Contains(names, n.Name)
		case *ast.BasicLit:
			s, err := literal.Unquote(n.Value)
			found = found || err == nil && slices.Contains(names, s)
		}
		return !found
	}, nil)
	return found
}

// jsonFields are the fields of a JSON object. Numbers are of type json.Number.
type jsonFields = map[string]any

func readFields(data []byte) (out jsonFields, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	err = dec.Decode(&out)
	return out, err
}

func (x *expansion) components(a jsonFields) {
	all, _ := a["components"].(jsonFields) // the schema reports other values
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c, _ := all[name].(jsonFields)
		path := []string{"application", "components", name}
		traits, _ := c["traits"].(jsonFields)
		for _, trait := range slices.Sorted(maps.Keys(traits)) {
			if !x.known.has("traits", trait) {
				continue
			}
			if out, ok := x.output("traits", trait, name, traits[trait], append(slices.Clone(path), "traits", trait)); ok {
				delete(traits, trait)
				traits = merged(out, traits).(jsonFields)
				c["traits"] = traits
			}
		}
		kind, _ := c["type"].(string)
		if !x.known.has("components", kind) {
			continue
		}
		out, ok := x.output("components", kind, name, c["properties"], append(slices.Clone(path), "properties"))
		if !ok {
			continue
		}
		x.used[name] = kind
		if out["traits"] != nil && c["traits"] != nil {
			c["traits"] = merged(out["traits"], c["traits"])
		}
		all[name] = instead(out, c)
	}
}

func (x *expansion) steps(a jsonFields) {
	workflow, _ := a["workflow"].(jsonFields)
	steps, _ := workflow["steps"].([]any)
	for i := range steps {
		s, _ := steps[i].(jsonFields)
		name, _ := s["name"].(string)
		kind, _ := s["type"].(string)
		if !x.known.has("steps", kind) {
			continue
		}
		if out, ok := x.output("steps", kind, name, s["properties"], []string{"application", "workflow", "steps", strconv.Itoa(i), "properties"}); ok {
			delete(out, "name") // of the example
			steps[i] = instead(out, s)
		}
	}
}

// instead returns the output of a definition with the fields that its user writes beside
// type and properties.
func instead(out, user jsonFields) jsonFields {
	for k, v := range user {
		if k != "type" && k != "properties" {
			out[k] = v
		}
	}
	return out
}

// output returns the output of a definition for the parameter that is written at path.
func (x *expansion) output(kind, definition, name string, parameter any, path []string) (jsonFields, bool) {
	if parameter == nil {
		parameter = jsonFields{}
	}
	context := x.context(name)
	defined := "definitions." + kind + "." + definition
	data, problems, failed := x.known.output(kind, definition, asJSON(parameter), context, func(err error, v cue.Value) []model.Problem {
		return behind(x.wrong(err, v, path), func(p model.Problem) string {
			return defined + ".#Parameter" + strings.TrimPrefix(p.Path, strings.Join(path, "."))
		})
	})
	var out jsonFields
	if failed == nil && problems == nil {
		var err error
		if out, err = readFields(data); err != nil {
			failed = &outputError{"output", err}
		}
	}
	if failed != nil {
		problem := x.own.Blame(catalogue.Expansion, strings.Join(path, "."),
			fmt.Sprintf("definition %s gives nothing valid for this: %s", definition, text.Clean(failed.Error())))
		problems = append(problems, behind([]model.Problem{problem}, func(model.Problem) string { return defined + "." + failed.below })...)
	}
	x.problems = append(x.problems, problems...)
	return out, problems == nil
}

// context is what a definition knows of a component or step that uses it.
func (x *expansion) context(name string) map[string]string {
	return map[string]string{"tenant": x.app.Tenant, "application": x.app.Name, "name": name}
}

// wrong returns the problems of the parameter at path, in the words of the schema.
func (x *expansion) wrong(err error, v cue.Value, path []string) (problems []model.Problem) {
	seen := map[string]bool{}
	for _, e := range errors.Errors(err) {
		below := pathOf(e)
		if i := slices.Index(below, "#Parameter"); i >= 0 {
			below = below[i+1:]
		}
		full := append(slices.Clone(path), below...)
		if seen[key(full)] || len(problems) == maxProblems {
			continue
		}
		seen[key(full)] = true
		p := explainOne(e, full, cue.Value{}, x.own)
		if p.Code == catalogue.Unknown && len(below) > 0 {
			p.Message = "no such field" + suggest(v, below)
		}
		problems = append(problems, p)
	}
	return problems
}

// saysDefinition adds the definition to problems with values that come from it and not
// from the files.
func saysDefinition(problems []model.Problem, used map[string]string, own *Layer) []model.Problem {
	for i, p := range problems {
		component, below := cutComponent(p.Path)
		name := used[strings.TrimPrefix(component, "application.components.")]
		if _, written := own.Where.exact(p.Path); name != "" && !written {
			p.Message += " (in what definition " + name + " stands for)"
			problems[i] = behind([]model.Problem{p}, func(model.Problem) string { return "definitions.components." + name + ".output." + below })[0]
		}
	}
	return problems
}

// merged adds the value of a user to that of a definition: lists are joined, structs are
// merged field by field, and any other value is that of the user.
func merged(definition, user any) any {
	switch user := user.(type) {
	case []any:
		if list, ok := definition.([]any); ok {
			return slices.Concat(list, user)
		}
	case jsonFields:
		if fields, ok := definition.(jsonFields); ok {
			out := maps.Clone(fields)
			for k, v := range user {
				out[k] = v
				if before, ok := fields[k]; ok {
					out[k] = merged(before, v)
				}
			}
			return out
		}
	}
	return user
}

// asJSON encodes a value that was decoded from JSON.
func asJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err))
	}
	return data
}
