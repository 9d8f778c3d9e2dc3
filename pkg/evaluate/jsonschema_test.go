package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

func editorSchema(t *testing.T, layer string) *jsonschema.Schema {
	text, err := JSONSchema(layer)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(layer, doc))
	s, err := c.Compile(layer)
	require.NoError(t, err)
	return s
}

// documents are the layers of the full fleet and of examples/repo, as written:
// without what the schema adds.
func documents(t *testing.T) map[string]any {
	out := map[string]any{}
	add := func(name, layer string, files ...source) {
		v, err := buildValue("x", files, schemaFiles())
		require.NoError(t, err)
		doc, _, err := export(v, layer, "")
		require.NoError(t, err, name)
		var value any
		require.NoError(t, json.Unmarshal(doc, &value))
		out[layer+" "+name] = map[string]any{layer: value}
	}
	load := func(files fs.FS, pattern string) (all []source) {
		names, err := fs.Glob(files, pattern)
		require.NoError(t, err)
		all, problems, err := read(files, names)
		require.NoError(t, err)
		require.Empty(t, problems)
		return all
	}
	for name, files := range map[string]fs.FS{"full": unpack(archive(t, "full.txtar")), "example": directory(exampleRepo)} {
		add(name, "platform", load(files, "*.cue")...)
		apps, err := fs.Glob(files, "tenants/*/apps/*")
		require.NoError(t, err)
		for _, app := range apps {
			add(name+" "+app, "application", load(files, app+"/*.cue")...)
		}
		tenants, err := fs.Glob(files, "tenants/*")
		require.NoError(t, err)
		for _, tenant := range tenants {
			add(name+" "+path.Base(tenant), "tenant", load(files, tenant+"/*.cue")...)
		}
	}
	return out
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

// chosen says whether the fields of the struct at a path have names of people, or
// mean nothing to the schema.
func chosen(at []string) bool {
	open := []string{
		"components", "pools", "bands", "profiles", "principals", "owners", "releases", "groups", "reservations", "devices", "labels", "annotations",
		"env", "data", "selector", "inputs", "outputs", "objects", "definitions", "example", "parameter",
	}
	for i, name := range at {
		if name == "objects" || name == "example" || name == "parameter" {
			return true
		}
		if i == len(at)-1 && slices.Contains(open, name) {
			return true
		}
	}
	return len(at) > 2 && at[1] == "definitions" && len(at) == 3
}
