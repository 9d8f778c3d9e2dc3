package cuefile

import (
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// TestWriteHasTheHouseForm: paths of one field, short values in one line, comments above.
func TestWriteHasTheHouseForm(t *testing.T) {
	data, err := Write("fleet", []string{"What it is."}, []Field{{Name: "application", Value: []Field{
		{Name: "name", Value: "shop"},
		{Name: "labels", Value: []Field{{Name: "team", Value: "web"}}},
		{Name: "components", Value: []Field{
			{Name: "web-1", Comment: []string{"Decide."}, Value: []Field{
				{Name: "type", Value: "webservice"},
				{Name: "replicas", Value: int64(2)},
				{Name: "properties", Value: []Field{
					{Name: "image", Value: "ghcr.io/acme/shop:1"},
					{Name: "ports", Value: []any{[]Field{{Name: "port", Value: int64(80)}, {Name: "expose", Value: false}}}},
					{Name: "data", Value: []Field{{Name: "a.conf", Value: "one\n\ttwo\n"}}},
				}},
			}},
			{Name: "db", Value: []Field{{Name: "type", Value: "store"}}},
		}},
	}}})
	require.NoError(t, err)
	require.Equal(t, `package fleet

// What it is.
application: {
	name: "shop"
	labels: team: "web"
	components: {
		// Decide.
		"web-1": {
			type:     "webservice"
			replicas: 2
			properties: {
				image: "ghcr.io/acme/shop:1"
				ports: [{port: 80, expose: false}]
				data: "a.conf": """
					one
					\ttwo

					"""
			}
		}
		db: type: "store"
	}
}
`, string(data))
}

// TestWriteSaysWhatItIsGiven: names, values and comments cannot become CUE, whatever they hold.
func TestWriteSaysWhatItIsGiven(t *testing.T) {
	hostile := rapid.OneOf(
		rapid.String(),
		rapid.StringOf(rapid.RuneFrom([]rune("\\(\"'#\n\r\t{}[]:,|&_.?!@/* ab0\u2028\u2029\x00"))),
		rapid.SampledFrom([]string{`"`, `\(x)`, "\"\"\"", "#\"", "_", "#D", "a: b", "}\n{", "//", "\ufeff", `"""` + "\n" + `\(1)`}),
	)
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]any{}
		var fields []Field
		for _, name := range rapid.SliceOfNDistinct(hostile, 1, 5, norm.NFC.String).Draw(t, "names") {
			value := hostile.Draw(t, "value")
			f := Field{Name: name, Value: value, Comment: rapid.SliceOfN(hostile, 0, 2).Draw(t, "comment")}
			want[name] = value
			switch rapid.IntRange(0, 3).Draw(t, "form") {
			case 1:
				f.Value, want[name] = []any{value, value}, []any{value, value}
			case 2:
				f.Value, want[name] = []Field{{Name: value, Value: value}}, map[string]any{value: value}
			case 3:
				f.Value, want[name] = []any{[]Field{{Name: value, Value: value}, {Name: value + "2", Value: int64(-1)}}}, []any{map[string]any{value: value, value + "2": -1}}
			}
			fields = append(fields, f)
		}
		data, err := Write("fleet", rapid.SliceOfN(hostile, 0, 2).Draw(t, "comment"), fields)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := cuecontext.New().CompileBytes(data).Decode(&got); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		require.Equal(t, normal(want), normal(got), string(data))
		formatted := Open(File{"x.cue", data})
		require.True(t, formatted.Clean, string(data))
	})
}

// normal makes all numbers of one type, and all texts of one form, which CUE does, too.
func normal(v any) any {
	switch v := v.(type) {
	case string:
		return norm.NFC.String(v)
	case int:
		return int64(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = normal(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[norm.NFC.String(k)] = normal(e)
		}
		return out
	}
	return v
}
