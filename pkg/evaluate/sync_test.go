package evaluate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// full is the fleet that writes every field, evaluated to documents.
func full(t *testing.T) map[string]json.RawMessage {
	files := unpack(archive(t, "full.txtar"))
	load := func(name string) []source {
		sources, problems, err := read(files, []string{name})
		require.NoError(t, err)
		require.Empty(t, problems)
		return sources
	}
	platform, problems := newLayer("platform", load("fleet.cue"))
	require.Empty(t, problems)
	tenant, problems := newLayer("tenant", load("tenants/acme/tenant.cue"))
	require.Empty(t, problems)
	application, problems := newLayer("application", load("tenants/acme/apps/full/app.cue"))
	require.Empty(t, problems)

	docs := map[string]json.RawMessage{}
	docs["platform"], _, problems = evaluateLayer(".", &platform)
	require.Empty(t, problems)
	docs["tenant"], docs["effective"], problems = evaluateLayer("tenants/acme", &platform, &tenant)
	require.Empty(t, problems)
	docs["application"], problems = evaluateUnder("tenants/acme/apps/full", docs["effective"], &application)
	require.Empty(t, problems)
	docs["approval"], _, problems = approvalDocument(load("approvals/acme/full/agree.cue")[0])
	require.Empty(t, problems)
	return docs
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
		inDocument(t, name, reflect.TypeOf(into).Elem(), []any{have})
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

// inDocument checks that each field of a struct type is in one of the documents.
func inDocument(t *testing.T, path string, typ reflect.Type, docs []any) {
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

// What the full fleet says arrives in the model, value by value.
func TestFullFleet(t *testing.T) {
	f := New(nil).Fleet("cccc", unpack(archive(t, "full.txtar")), func(commit string) (Files, error) {
		require.Equal(t, strings.Repeat("b", 40), commit)
		return unpack(archive(t, "full.txtar")), nil
	})
	require.Empty(t, report(f))
	var b strings.Builder
	for _, v := range []any{f.Platform, f.Tenants, f.Applications} {
		out, err := json.MarshalIndent(v, "", "  ")
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s\n", out)
	}
	app := f.Applications[0]
	for _, v := range app.Policy.InForce {
		fmt.Fprintln(&b, v.Path, v.Value, v.Layer, v.At)
	}
	for _, path := range sortedKeys(app.At) {
		fmt.Fprintln(&b, path, app.At[path])
	}
	for _, path := range sortedKeys(f.Tenants[0].At) {
		fmt.Fprintln(&b, path, f.Tenants[0].At[path])
	}
	for _, path := range sortedKeys(f.Platform.At) {
		fmt.Fprintln(&b, path, f.Platform.At[path])
	}
	golden(t, "testdata/full.golden", b.String())
}

func sortedKeys(m model.Positions) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	return sorted(keys)
}
