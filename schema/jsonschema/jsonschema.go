// Package jsonschema describes the layers of a fleet repo as JSON Schema, for
// editors and other tools that do not read CUE.
//
// It decides nothing: it derives fields, required fields, patterns, bounds, defaults and words
// from the CUE schema and its comments. Where a rule depends on the policy of a fleet, the bound
// is that of the widest policy that there can be, and the default is that of D-AROS. It leaves out
// what CUE computes from other values, so a document that a JSON Schema accepts may still be
// refused. It reads no files. The caller owns the bytes that it gets.
package jsonschema

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/schema"
)

// Of returns the shape of the documents of a layer (platform, tenant, application)
// as JSON Schema, draft 2020-12, with what a fleet defines in addition to the schema.
func Of(layer string, defined ...Definition) ([]byte, error) {
	root := map[string]string{"platform": "#Platform", "tenant": "#Tenant", "application": "#Application"}[layer]
	if root == "" {
		return nil, fmt.Errorf("make a JSON schema: there is no layer %q; layers are platform, tenant and application", layer)
	}
	g, err := read()
	if err != nil {
		return nil, fmt.Errorf("make a JSON schema: %w", err)
	}
	g.defined = defined
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

// A shape is a JSON Schema, or a part of one.
type shape = map[string]any

// shapes derives the shapes of the schema's definitions, each when it is first referred to.
type shapes struct {
	known  map[string]*ast.Field // what the files of shapes declare
	bounds map[string]*ast.Field // and those of the bounds by policy
	ctx    *cue.Context
	scope  cue.Value // the schema, to evaluate constants in
	defs   map[string]any
	adding int // the number of unifications around the current expression

	defined []Definition // of the fleet
	foreign bool         // the expressions are a fleet's: none is evaluated
}

// read reads the schema.
func read() (*shapes, error) {
	g := &shapes{ctx: cuecontext.New(), known: map[string]*ast.Field{}, bounds: map[string]*ast.Field{}, defs: map[string]any{}}
	whole := build.NewContext().NewInstance("", nil)
	whole.ImportPath = schema.ImportPath
	for _, f := range schema.Files() {
		tree, err := parser.ParseFile(f.Name, f.Data, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		of := g.known
		if strings.HasSuffix(f.Name, "_policy.cue") {
			of = g.bounds
		}
		for _, d := range tree.Decls {
			if field, ok := d.(*ast.Field); ok {
				if name, _, err := ast.LabelName(field.Label); err == nil {
					of[name] = field
				}
			}
		}
		if err := whole.AddSyntax(tree); err != nil {
			return nil, err
		}
	}
	if err := whole.Complete(); err != nil {
		return nil, err
	}
	g.scope = g.ctx.BuildInstance(whole) // rules fail that have nothing to judge: that is no defect
	return g, nil
}
