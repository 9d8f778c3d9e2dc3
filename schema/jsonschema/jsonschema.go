// Package jsonschema describes the layers of a fleet repo as JSON Schema, for
// editors and other tools that do not read CUE.
//
// It decides nothing: it derives fields, required fields, patterns and the bounds
// that hold for everybody from the CUE schema. It leaves out what depends on the
// policy of a fleet and the values that CUE computes, so a document that a JSON Schema
// accepts may still be refused. It evaluates only constants and never reads files. The caller
// owns the bytes that it gets.
package jsonschema

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/schema"
)

// Of returns the shape of the documents of a layer (platform, tenant, application)
// as JSON Schema, draft 2020-12.
func Of(layer string) ([]byte, error) {
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
					if name == "_syntax" {
						g.syntax = string(f.Data[field.Pos().Offset():field.End().Offset()]) + "\n"
					}
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

// A shape is a JSON Schema, or a part of one.
type shape = map[string]any

// shapes derives the shapes of the schema's definitions, each when it is first referred to.
type shapes struct {
	known  map[string]ast.Expr
	syntax string // the constants of patterns, as CUE
	defs   map[string]any
	adding int // the number of unifications around the current expression
}
