package layer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"

	"github.com/d-aros/d-aros/pkg/model"
)

// defined are the definitions of all layers above an application, compiled: each text in a
// context of its own, in which nothing else is ever compiled, so that they can be kept.
type defined struct {
	texts  []string
	values []cue.Value
}

// compiled returns the value of the definitions of one layer.
func compiled(text string) cue.Value {
	return cuecontext.New().CompileString(text, cue.Filename("definitions.cue"))
}

// of returns the definitions of texts: those that it already has, or new ones, which it keeps.
func (d *defined) of(texts []string) *defined {
	if d == nil {
		d = &defined{}
	}
	if d.values == nil || !slices.Equal(d.texts, texts) {
		*d = defined{texts: texts}
		for _, text := range texts {
			d.values = append(d.values, compiled(text))
		}
	}
	return d
}

// find returns the definition of a name.
func (d *defined) find(kind, name string) (cue.Value, bool) {
	for _, v := range d.values {
		if found := v.LookupPath(cue.MakePath(cue.Str(kind), cue.Str(name))); found.Exists() {
			return found, true
		}
	}
	return cue.Value{}, false
}

// has reports whether there is a definition of a name.
func (d *defined) has(kind, name string) bool {
	_, ok := d.find(kind, name)
	return ok
}

// usedIn reports whether an application has a component, a trait or a step of a definition.
func (d *defined) usedIn(doc []byte) bool {
	var a struct {
		Components map[string]struct {
			Type   string
			Traits map[string]any
		}
		Workflow struct{ Steps []struct{ Type string } }
	}
	if json.Unmarshal(doc, &a) != nil {
		return true
	}
	for _, c := range a.Components {
		if d.has("components", c.Type) || slices.ContainsFunc(slices.Collect(maps.Keys(c.Traits)), func(trait string) bool { return d.has("traits", trait) }) {
			return true
		}
	}
	return slices.ContainsFunc(a.Workflow.Steps, func(s struct{ Type string }) bool { return d.has("steps", s.Type) })
}

// An outputError is that of a definition without a valid output for a parameter.
type outputError struct {
	below string // where in the definition, such as "output.type"
	error
}

// output returns the output of a definition for a parameter, or the problems of the
// parameter.
func (d *defined) output(kind, name string, parameter []byte, context map[string]string, wrong func(error, cue.Value) []model.Problem) (out []byte, problems []model.Problem, failed *outputError) {
	defer func() {
		if e := recover(); e != nil {
			failed = &outputError{error: fmt.Errorf("the CUE evaluator gave up: %v", e)}
		}
	}()
	definition, _ := d.find(kind, name)
	ctx := cuecontext.New() // of this use: what is compiled in a context stays there
	given := ctx.CompileBytes(parameter)
	checked := definition.LookupPath(cue.MakePath(cue.Def("#Parameter"))).Unify(given)
	if err := checked.Validate(cue.Concrete(true), cue.Final()); err != nil {
		return nil, wrong(err, checked), nil
	}
	filled := definition.Unify(ctx.CompileBytes(fmt.Appendf(nil, `{"parameter": %s, "context": %s}`, parameter, asJSON(context))))
	out, err := stands(filled)
	if err != nil {
		in := pathOf(errors.Errors(errors.Promote(err, ""))[0])
		return nil, nil, &outputError{strings.Join(in[min(2, len(in)):], "."), err}
	}
	return out, nil, nil
}

// stands returns what stands in place of a use of a definition.
func stands(definition cue.Value) (json.RawMessage, error) {
	value := definition.LookupPath(cue.ParsePath("output"))
	outputs := definition.LookupPath(cue.ParsePath("outputs"))
	if outputs.Exists() {
		value = outputs
	}
	if err := value.Validate(cue.Concrete(true), cue.Final()); err != nil {
		return nil, err
	}
	if !outputs.Exists() {
		return value.MarshalJSON()
	}
	fields, err := outputs.Fields()
	if err != nil {
		return nil, err
	}
	var objects []json.RawMessage
	for fields.Next() {
		object, err := fields.Value().MarshalJSON()
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return asJSON(jsonFields{"type": "raw", "properties": jsonFields{"objects": objects}}), nil
}
