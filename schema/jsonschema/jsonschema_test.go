package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/schema"
)

func editorSchema(t *testing.T, layer string) *jsonschema.Schema {
	text, err := Of(layer)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(layer, doc))
	s, err := c.Compile(layer)
	require.NoError(t, err)
	return s
}

// documents are the layers of the full fleet and of examples/repo. Tenants and
// applications are as people wrote them: each stands by itself, so that the schema
// adds nothing to it but the parameters of definitions, which are their examples.
func documents(t *testing.T) map[string]any {
	out := map[string]any{}
	for name, files := range map[string]fs.FS{"full": fullFleet(t), "example": os.DirFS("../../examples/repo")} {
		out["platform "+name] = asWritten(t, files, "*.cue")
		for layer, pattern := range map[string]string{"application": "tenants/*/apps/*", "tenant": "tenants/*"} {
			dirs, err := fs.Glob(files, pattern)
			require.NoError(t, err)
			for _, dir := range dirs {
				out[layer+" "+name+" "+dir] = asWritten(t, files, dir+"/*.cue")
			}
		}
	}
	return out
}

func parse(t *testing.T, name string, data []byte) *ast.File {
	file, err := parser.ParseFile(name, data, parser.ParseComments)
	require.NoError(t, err)
	return file
}

// asWritten exports the package that the files of a pattern form.
func asWritten(t *testing.T, files fs.FS, pattern string) (doc map[string]any) {
	var ctx *build.Context
	ctx = build.NewContext(build.Loader(func(_ token.Pos, path string) *build.Instance {
		if path != schema.ImportPath {
			return nil // of the standard library
		}
		in := ctx.NewInstance(path, nil)
		in.ImportPath = path
		for _, f := range schema.Files() {
			require.NoError(t, in.AddSyntax(parse(t, f.Name, f.Data)))
		}
		require.NoError(t, in.Complete())
		return in
	}))
	names, err := fs.Glob(files, pattern)
	require.NoError(t, err)
	in := ctx.NewInstance("", nil)
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		require.NoError(t, in.AddSyntax(parse(t, name, data)))
	}
	if strings.HasPrefix(pattern, "tenants/") && !strings.Contains(pattern, "/apps/") {
		require.NoError(t, in.AddSyntax(parse(t, "examples.cue", []byte("package fleet\n\n"+
			`tenant: definitions?: [string]: [string]: {#Parameter: {...}, example: {...}, parameter: #Parameter & example, context: name: *"name" | string, ...}`))))
	}
	require.NoError(t, in.Complete())
	text, err := cuecontext.New().BuildInstance(in).MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &doc))
	for layer := range doc {
		if layer != "platform" && layer != "tenant" && layer != "application" {
			delete(doc, layer)
		}
	}
	require.Len(t, doc, 1, pattern)
	return doc
}

// fullFleet is the fleet that writes every field.
func fullFleet(t *testing.T) fs.FS {
	archive, err := txtar.ParseFile("../../pkg/evaluate/testdata/full.txtar")
	require.NoError(t, err)
	files, err := txtar.FS(archive)
	require.NoError(t, err)
	return files
}

// An editor accepts what people write, and marks every name of a field that is
// mistyped.
func TestJSONSchema(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for _, layer := range []string{"platform", "tenant", "application"} {
		schemas[layer] = editorSchema(t, layer)
	}
	docs := documents(t)
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		t.Run(name, func(t *testing.T) {
			doc := docs[name].(map[string]any)
			s := schemas[slices.Collect(maps.Keys(doc))[0]]
			require.NoError(t, s.Validate(doc))
			n := 0
			typos(doc, nil, func(at string) {
				n++
				require.Error(t, s.Validate(doc), "%s is mistyped", at)
			})
			require.NotZero(t, n)
		})
	}
}

// typos mistypes one field after another. Names that people choose and what is
// open have no typos.
func typos(v any, at []string, try func(at string)) {
	switch v := v.(type) {
	case []any:
		for i, below := range v {
			typos(below, append(at[:len(at):len(at)], fmt.Sprint(i)), try)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := append(at[:len(at):len(at)], name)
			if !chosen(at) {
				old := v[name]
				delete(v, name)
				v[name+"X"] = old
				try(fmt.Sprint(below))
				delete(v, name+"X")
				v[name] = old
			}
			typos(v[name], below, try)
		}
	}
}

// chosen reports whether people choose the names of the fields of the struct at a
// path, or the schema does not know them.
func chosen(at []string) bool {
	open := []string{
		"components", "pools", "bands", "profiles", "principals", "owners", "releases", "groups", "reservations", "devices", "labels", "annotations",
		"env", "data", "files", "keys", "matches", "set", "add", "values", "shares", "selector", "namespaces", "pods", "inputs", "outputs", "objects", "definitions", "example", "parameter",
	}
	for i, name := range at {
		if name == "objects" || name == "merge" || name == "values" && at[len(at)-1] != "values" || name == "example" || name == "parameter" || name == "sample" || name == "live" || name == "cloudInit" && at[len(at)-1] != name || name == "outputs" && at[1] == "definitions" {
			return true
		}
		if i == len(at)-1 && slices.Contains(open, name) {
			return true
		}
	}
	return len(at) > 2 && at[1] == "definitions" && len(at) == 3
}
