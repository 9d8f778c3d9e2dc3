package jsonschema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

const defining = `package fleet

// Keeps things for a while.
platform: definitions: components: cache: {
	#Parameter: {
		version!: "7" | "8"
		// The memory of a replica.
		memory: *"256Mi" | string
		shards: *1 | (int & >=1 & <=16)
		names?: [...string]
	}
	output: type: "store"
}
platform: definitions: {
	traits: resolver: {#Parameter: dots!: int, output: {}}
	steps: pause: {#Parameter: minutes!: int & >0, output: {}}
	steps: wait: {#Parameter: {}, output: {}} // the schema has it
}
`

// withDefined returns the schema of applications with definitions, and whether it takes an application.
func withDefined(t *testing.T, defined ...Definition) (doc map[string]any, takes func(app string) error) {
	text, err := Of("application", defined...)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &doc))
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("application.json", doc))
	compiled, err := c.Compile("application.json")
	require.NoError(t, err)
	return doc, func(app string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(app))
		require.NoError(t, err)
		return compiled.Validate(v)
	}
}

// A form of a definition has the fields that the definition takes, and the schema takes what uses it.
func TestDefinitionsHaveForms(t *testing.T) {
	doc, takes := withDefined(t, Definitions("platform", []byte(defining))...)
	require.Contains(t, at(t, doc, "$defs/Component/properties/type/anyOf").([]any)[0].(map[string]any)["enum"], "cache")
	all := at(t, doc, "$defs/Component/allOf").([]any)
	cache := at(t, all[len(all)-1], "then/properties/properties").(map[string]any)
	require.Equal(t, "Keeps things for a while.", cache["description"])
	require.Equal(t, "256Mi", at(t, cache, "properties/memory/default"))
	require.Equal(t, "The memory of a replica.", at(t, cache, "properties/memory/description"))
	require.Equal(t, []any{"version"}, cache["required"])

	const good = `{"application": {"name": "shop", "components": {"c": {"type": "cache", "properties": {"version": "7", "shards": 2}, "traits": {"resolver": {"dots": 2}}}},
		"workflow": {"order": "listed", "steps": [{"name": "p", "type": "pause", "properties": {"minutes": 1}}]}}}`
	require.NoError(t, takes(good))
	for was, is := range map[string]string{`"7"`: `"9"`, `"version": "7", `: ``, `"shards": 2`: `"shards": 17`, `"shards"`: `"sharts"`, `"dots": 2`: `"dots": "2"`, `"minutes": 1`: `"minutes": 0`, `"resolver"`: `"resolvers"`} {
		bad := strings.Replace(good, was, is, 1)
		require.NotEqual(t, good, bad)
		require.Error(t, takes(bad), is)
	}
	const trait = `{"application": {"name": "shop", "components": {"c": {"type": "worker", "properties": {"image": "x"}, "traits": {"resolver": {"dots": 2}}}}}}`
	require.NoError(t, takes(trait))
	_, plain := withDefined(t)
	require.Error(t, plain(trait), "the schema alone does not know the trait")
}

// Nothing of a fleet is computed, whatever it says, and what it refers to is anything.
func TestDefinitionsAreNotComputed(t *testing.T) {
	_, takes := withDefined(t, Definitions("platform", []byte(`package fleet

import "strings"

platform: definitions: components: bomb: #Parameter: {
	a?: strings.Repeat("x", 1_000_000_000)
	b?: =~strings.Repeat("(x+)+", 1_000_000)
	c?: [for x in list.Range(0, 1_000_000_000, 1) {x}][0] | "y"
	d?: #Application & #Parameter
	e?: #Name | *(1 / 0)
	f?: strings.MaxRunes(strings.Repeat("x", 1_000_000_000))
}
`))...)
	require.NoError(t, takes(`{"application": {"name": "shop", "components": {"c": {"type": "bomb", "properties": {"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6"}}}}}`))
	require.Empty(t, Definitions("platform", []byte("platform: {definitions")))
}

// FuzzDefinitions: whatever a fleet defines, there is a schema.
func FuzzDefinitions(f *testing.F) {
	f.Add([]byte(defining))
	f.Fuzz(func(t *testing.T, data []byte) {
		defined := Definitions("platform", data)
		if len(data) > 16<<10 || len(defined) == 0 {
			return
		}
		for _, d := range defined {
			text, err := json.Marshal(d.parameter())
			require.NoError(t, err)
			require.True(t, json.Valid(text))
		}
	})
}
