package decode

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// full is the fleet that writes every field, evaluated to documents.
func full(t *testing.T) map[string]json.RawMessage {
	archive, err := txtar.ParseFile("../testdata/full.txtar")
	require.NoError(t, err)
	load := func(name string) []layer.Source {
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		return []layer.Source{{Name: name, Data: archive.Files[i].Data}}
	}
	platform := layer.Platform(load("fleet.cue"))
	tenant := layer.Tenant("acme", load("tenants/acme/tenant.cue"), &platform.Above)
	application := layer.Application(model.AppID{Tenant: "acme", Name: "full"}, load("tenants/acme/apps/full/app.cue"), nil, tenant.Policy, layer.Form{})
	listed := layer.Application(model.AppID{Tenant: "acme", Name: "listed"}, load("tenants/acme/apps/listed/app.cue"), nil, tenant.Policy, layer.Form{})
	approval := layer.Approval("approval", load("approvals/acme/full/agree.cue")[0])
	for _, d := range []layer.Document{platform, tenant, application, listed, approval} {
		require.Empty(t, d.Problems)
	}
	return map[string]json.RawMessage{
		"platform": platform.JSON, "tenant": tenant.JSON, "effective": tenant.Effective, "application": application.JSON, "approval": approval.JSON,
		"listed": listed.JSON, // an order of steps stands where none has dependsOn
	}
}

// Go and the schema know the same fields: every field of the schema is in the
// full fleet, every field of the full fleet decodes, and every field that Go
// decodes into is in the full fleet.
func TestSchemaAndGoAreInStep(t *testing.T) {
	docs := full(t)

	written := map[string]bool{}
	for _, doc := range docs {
		var v any
		require.NoError(t, json.Unmarshal(doc, &v))
		words(v, written)
	}
	for _, f := range schema.Files() {
		tree, err := parser.ParseFile(f.Name, f.Data)
		require.NoError(t, err)
		for _, word := range fieldsOf(tree) {
			require.True(t, written[word], "%s: field %s is not in testdata/full.txtar", f.Name, word)
		}
	}

	for name, into := range map[string]any{
		"platform": &platformDoc{}, "tenant": &tenantDoc{}, "effective": &effectiveDoc{}, "application": &applicationDoc{},
		"approval": &map[string]approvalDoc{},
	} {
		require.NoError(t, decode(docs[name], into), name)
		var have any
		require.NoError(t, json.Unmarshal(docs[name], &have))
		all := []any{have}
		if name == "application" {
			var listed any
			require.NoError(t, json.Unmarshal(docs["listed"], &listed))
			all = append(all, listed)
		}
		inDocument(t, name, reflect.TypeOf(into).Elem(), all)
	}
}

// words collects the keys of a document.
func words(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, below := range v {
			into[k] = true
			words(below, into)
		}
	case []any:
		for _, below := range v {
			words(below, into)
		}
	}
}

// fields collects the names of plain fields that definitions of the schema have.
// Hidden fields are the schema's own affair.
func fieldsOf(tree *ast.File) (names []string) {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if name, _, err := ast.LabelName(f.Label); err != nil || !strings.HasPrefix(name, "#") || name == "#Fleet" {
			continue
		}
		ast.Walk(f.Value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr, *ast.LetClause, *ast.Interpolation:
				return false
			case *ast.Field:
				name, _, err := ast.LabelName(n.Label)
				if err == nil && (strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#")) {
					return false
				}
				if err == nil {
					names = append(names, name)
				}
			}
			return true
		}, nil)
	}
	return names
}

// inDocument checks that each field of a struct type is in one of the documents. Types of
// the model have more fields than documents, so only the other direction holds for them.
func inDocument(t *testing.T, path string, typ reflect.Type, docs []any) {
	if typ.PkgPath() == reflect.TypeFor[model.Component]().PkgPath() {
		return
	}
	switch typ.Kind() {
	case reflect.Pointer:
		inDocument(t, path, typ.Elem(), docs)
	case reflect.Slice, reflect.Map:
		if typ == reflect.TypeFor[json.RawMessage]() {
			return
		}
		var below []any
		for _, d := range docs {
			switch d := d.(type) {
			case []any:
				below = append(below, d...)
			case map[string]any:
				for _, v := range d {
					below = append(below, v)
				}
			}
		}
		inDocument(t, path+".*", typ.Elem(), below)
	case reflect.Struct:
		for f := range typ.Fields() {
			if f.Anonymous {
				inDocument(t, path, f.Type, docs)
				continue
			}
			name := f.Tag.Get("json")
			require.NotEmpty(t, name, "%s.%s has a name in JSON", path, f.Name)
			var below []any
			for _, d := range docs {
				if m, ok := d.(map[string]any); ok && m[name] != nil {
					below = append(below, m[name])
				}
			}
			require.NotEmpty(t, below, "%s.%s is in testdata/full.txtar", path, name)
			inDocument(t, path+"."+name, f.Type, below)
		}
	}
}
