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
	"cuelang.org/go/cue/errors"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// withDefinitions adds definitions to a policy in force.
func withDefinitions(policy []byte, definitions string) []byte {
	var d map[string]json.RawMessage
	if definitions == "" || json.Unmarshal(policy, &d) != nil {
		return policy
	}
	d["definitions"] = asJSON(definitions)
	return asJSON(d)
}

// An expansion replaces the names of definitions by their outputs in an application
// as it is written. The result uses only words of the schema, and the policy bounds
// it like anything that people write.
type expansion struct {
	app      model.AppID
	own      *Layer
	known    definitions
	used     map[string]string // definition by component
	problems []model.Problem
}

// expand returns the application of own with the outputs of definitions in the place
// of their names, nil if it uses none, and the definition by component.
func expand(app model.AppID, policy []byte, own *Layer) (files []Source, used map[string]string, problems []model.Problem) {
	if !bytes.Contains(policy, []byte(`"definitions":`)) {
		return nil, nil, nil
	}
	var known struct {
		Defined     struct{ Components, Traits, Steps []string }
		Definitions string
	}
	if err := json.Unmarshal(policy, &known); err != nil {
		return nil, nil, []model.Problem{GaveUp(ApplicationDir(app), err)}
	}
	names := slices.Concat(known.Defined.Components, known.Defined.Traits, known.Defined.Steps)
	if !slices.ContainsFunc(names, func(name string) bool { return mentions(own.Files, name) }) {
		return nil, nil, nil
	}
	doc, _, problems := own.export("", []*Layer{own}, func(files []Source) (cue.Value, error) {
		return buildValue(ApplicationDir(app), files, schemaFiles())
	})
	if problems != nil {
		return nil, nil, problems
	}
	x := &expansion{app: app, own: own, known: compileDefinitions(known.Definitions), used: map[string]string{}}
	var a map[string]json.RawMessage
	json.Unmarshal(doc, &a)
	x.components(a)
	x.steps(a)
	if x.problems != nil {
		return nil, nil, x.problems
	}
	text := append([]byte("package fleet\n\napplication: "), asJSON(a)...)
	return []Source{{own.Files[0].Name, text}}, x.used, nil
}

func mentions(files []Source, name string) bool {
	return slices.ContainsFunc(files, func(f Source) bool { return bytes.Contains(f.Data, []byte(name)) })
}

type written = map[string]json.RawMessage

func (x *expansion) components(a written) {
	var all map[string]written
	if json.Unmarshal(a["components"], &all) != nil {
		return // the schema says what is wrong
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		path := []string{"application", "components", name}
		var traits written
		json.Unmarshal(c["traits"], &traits)
		for _, trait := range slices.Sorted(maps.Keys(traits)) {
			if !x.known.has("traits", trait) {
				continue
			}
			out, ok := x.output("traits", trait, name, traits[trait], append(slices.Clone(path), "traits", trait))
			if ok {
				delete(traits, trait)
				traits = merged(out, traits)
				c["traits"] = asJSON(traits)
			}
		}
		var kind string
		if json.Unmarshal(c["type"], &kind) != nil || !x.known.has("components", kind) {
			continue
		}
		out, ok := x.output("components", kind, name, c["properties"], append(slices.Clone(path), "properties"))
		if !ok {
			continue
		}
		x.used[name] = kind
		if both := (written{"traits": out["traits"]}); out["traits"] != nil && c["traits"] != nil {
			c["traits"] = merged(both, written{"traits": c["traits"]})["traits"]
		}
		all[name] = instead(out, c)
	}
	a["components"] = asJSON(all)
}

func (x *expansion) steps(a written) {
	var workflow written
	var steps []written
	if json.Unmarshal(a["workflow"], &workflow) != nil || json.Unmarshal(workflow["steps"], &steps) != nil {
		return
	}
	for i, s := range steps {
		var name, kind string
		json.Unmarshal(s["name"], &name)
		if json.Unmarshal(s["type"], &kind) != nil || !x.known.has("steps", kind) {
			continue
		}
		out, ok := x.output("steps", kind, name, s["properties"], []string{"application", "workflow", "steps", strconv.Itoa(i), "properties"})
		if ok {
			delete(out, "name") // of the example
			steps[i] = instead(out, s)
		}
	}
	workflow["steps"] = asJSON(steps)
	a["workflow"] = asJSON(workflow)
}

// instead is the output of a definition with the fields that its user writes beside.
func instead(out, user written) written {
	for k, v := range user {
		if k != "type" && k != "properties" {
			out[k] = v
		}
	}
	return out
}

// output is the output of a definition for the parameter that is written at path.
func (x *expansion) output(kind, definition, name string, parameter json.RawMessage, path []string) (written, bool) {
	if parameter == nil {
		parameter = json.RawMessage("{}")
	}
	context := map[string]string{"tenant": x.app.Tenant, "application": x.app.Name, "name": name}
	data, problems, err := x.known.output(kind, definition, parameter, context, func(err error, v cue.Value) []model.Problem {
		return x.wrong(err, v, path)
	})
	var out written
	if err == nil && problems == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		problems = append(problems, x.own.Blame(catalogue.Expansion, strings.Join(path, "."),
			fmt.Sprintf("definition %s gives nothing valid for this: %s", definition, text.Clean(err.Error()))))
	}
	x.problems = append(x.problems, problems...)
	return out, problems == nil
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

// saysDefinition adds the name of the definition to problems with values that come
// from one, not from the files.
func saysDefinition(problems []model.Problem, used map[string]string, own *Layer) []model.Problem {
	for i, p := range problems {
		component, _ := cutComponent(p.Path)
		name := used[strings.TrimPrefix(component, "application.components.")]
		if _, written := own.Where.exact(p.Path); name != "" && !written {
			problems[i].Message += " (in what definition " + name + " stands for)"
		}
	}
	return problems
}

// merged adds what the user says to what a definition says: lists one behind the
// other, structs field by field, and else what the user says.
func merged(definition, user written) written {
	out := maps.Clone(definition)
	if out == nil {
		out = written{}
	}
	for k, v := range user {
		if before, ok := out[k]; ok {
			v = mergedValue(before, v)
		}
		out[k] = v
	}
	return out
}

func mergedValue(definition, user json.RawMessage) json.RawMessage {
	var aList, bList []json.RawMessage
	if json.Unmarshal(definition, &aList) == nil && json.Unmarshal(user, &bList) == nil {
		return asJSON(append(aList, bList...))
	}
	var a, b written
	if json.Unmarshal(definition, &a) == nil && json.Unmarshal(user, &b) == nil {
		return asJSON(merged(a, b))
	}
	return user
}

// asJSON encodes what came out of JSON.
func asJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err))
	}
	return data
}
