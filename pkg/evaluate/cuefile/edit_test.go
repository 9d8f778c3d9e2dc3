package cuefile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func set(value any, path ...string) Edit { return Edit{Path: path, Op: Set, Value: value} }
func unset(path ...string) Edit          { return Edit{Path: path, Op: Unset} }

// edited carries out edits of one file.
func edited(t *testing.T, data string, edits ...Edit) string {
	t.Helper()
	changed, err := Apply([]File{{"app.cue", []byte(data)}}, edits...)
	require.NoError(t, err, data)
	if len(changed) == 0 {
		return data
	}
	require.Len(t, changed, 1)
	return string(changed[0].Data)
}

const shop = `package fleet

// The shop.
application: {
	name: "shop"
	components: {
		web: {
			type:     "webservice"
			replicas: 4 // enough for Mondays
			properties: image: "registry.example.com/web:1"
		}
		// Further parts go here.
	}
}
`

func TestEdits(t *testing.T) {
	web := []string{"application", "components", "web"}
	for name, c := range map[string]struct {
		edits  []Edit
		change [2]string // what is replaced in shop, and by what
	}{
		"a value":               {[]Edit{set(6, append(web, "replicas")...)}, [2]string{"4 // enough", "6 // enough"}},
		"a value deep below":    {[]Edit{set("r/web:2", append(web, "properties", "image")...)}, [2]string{"registry.example.com/web:1", "r/web:2"}},
		"two values in one go":  {[]Edit{set(6, append(web, "replicas")...), set("worker", append(web, "type")...)}, [2]string{"type:     \"webservice\"\n\t\t\treplicas: 4", "type:     \"worker\"\n\t\t\treplicas: 6"}},
		"a field in its struct": {[]Edit{set("1.5", append(web, "resources", "requests", "cpu")...)}, [2]string{":1\"\n", ":1\"\n\t\t\tresources: requests: cpu: \"1.5\"\n"}},
		"a struct below a comment": {[]Edit{set(map[string]any{"type": "config", "properties": map[string]any{"data": map[string]any{"a.txt": "x"}}}, "application", "components", "settings")},
			[2]string{"go here.\n", "go here.\n\n\t\tsettings: {\n\t\t\tproperties: {\n\t\t\t\tdata: {\n\t\t\t\t\t\"a.txt\": \"x\"\n\t\t\t\t}\n\t\t\t}\n\t\t\ttype: \"config\"\n\t\t}\n"}},
		"a list":                {[]Edit{set([]string{"db"}, append(web, "dependsOn")...)}, [2]string{":1\"\n", ":1\"\n\t\t\tdependsOn: [\"db\"]\n"}},
		"a name with quotes":    {[]Edit{set("x", append(web, "properties", "env", "a-b")...)}, [2]string{":1\"\n", ":1\"\n\t\t\tproperties: env: \"a-b\": \"x\"\n"}},
		"a field with comment":  {[]Edit{unset(append(web, "replicas")...)}, [2]string{"type:     \"webservice\"\n\t\t\treplicas: 4 // enough for Mondays\n", "type: \"webservice\"\n"}},
		"a chain of fields":     {[]Edit{unset(append(web, "properties", "image")...)}, [2]string{"\t\t\tproperties: image: \"registry.example.com/web:1\"\n", ""}},
		"nothing that is there": {[]Edit{unset("application", "policy")}, [2]string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, shop, c.change[0])
			require.Equal(t, strings.Replace(shop, c.change[0], c.change[1], 1), edited(t, shop, c.edits...))
		})
	}
}

// Hostile values are values, and never a part of the file's syntax.
func TestValuesAreQuoted(t *testing.T) {
	for _, value := range []string{`"`, `\(name)`, "a\nb", `"""`, `"#`, "\u202e", "\x00", "}", "// x", "'", "\\"} {
		after := edited(t, shop, set(value, "application", "labels", value))
		places, err := Index(File{"app.cue", []byte(after)})
		require.NoError(t, err, "%q", after)
		last := places[len(places)-1]
		require.Equal(t, []string{"application", "labels", value}, last.Path, "%q", after)
	}
}

func TestRefusals(t *testing.T) {
	for data, c := range map[string]struct {
		edit Edit
		want string
	}{
		"a: 1\n":                      {set(2, "a", "b"), "app.cue:1:4: a is no struct; edit it by hand"},
		"a: b + 1\nb: 1\n":            {set(2, "a"), "app.cue:1:4: a is an expression; edit it by hand"},
		"a: b\nb: 1\n":                {set(2, "a", "c"), "app.cue:1:4: a is a reference; edit it by hand"},
		"a: {for x in [1] {b: x}}\n":  {unset("a", "b"), "app.cue:1:22: a.b stands in a condition or a loop; edit it by hand"},
		"a: b: 1\n":                   {set(2, "a"), "app.cue:1:4: a has fields of its own; edit it by hand"},
		"a: [1, 2]\n":                 {unset("a", "1"), "app.cue:1:8: a.1 is an element of a list; edit it by hand"},
		"a: {\n":                      {set(2, "a"), "read app.cue:1:6: expected '}', found 'EOF'"},
		"a: *1 | int\n":               {set(2, "a"), "app.cue:1:4: a is an expression; edit it by hand"},
		"a: b: \"\\(c)\"\nc: \"x\"\n": {set(2, "a", "b"), "app.cue:1:7: a.b is an expression; edit it by hand"},
	} {
		_, err := Apply([]File{{"app.cue", []byte(data)}}, c.edit)
		require.EqualError(t, err, c.want, data)
	}
	_, err := Apply(nil, set(1, "a"))
	require.EqualError(t, err, "set a: there is no file that could hold it")
	_, err = Apply(nil, set(1))
	require.EqualError(t, err, "set: the path is empty")
	_, err = Apply([]File{{"a.cue", nil}}, set(func() {}, "a"))
	require.ErrorContains(t, err, "set a: ")
}

// A value that stands several times, as CUE allows, is changed everywhere, in all files.
func TestSeveralPlaces(t *testing.T) {
	changed, err := Apply([]File{{"a.cue", []byte("a: b: 1\na: {b: 1, c: 3}\n")}, {"b.cue", []byte("a: b: 1\n")}, {"c.cue", []byte("d: 1\n")}}, set(2, "a", "b"))
	require.NoError(t, err)
	require.Equal(t, []File{{"a.cue", []byte("a: b: 2\na: {b: 2, c: 3}\n")}, {"b.cue", []byte("a: b: 2\n")}}, changed)
}

// Every literal of real files, in several spellings of them, can be changed and changed back: only
// its own bytes are others, and then none.
func TestThereAndBack(t *testing.T) {
	names, err := filepath.Glob("../../../examples/repo/tenants/*/apps/*/*.cue")
	require.NoError(t, err)
	more, err := filepath.Glob("../../../examples/repo/*.cue")
	require.NoError(t, err)
	edits := 0
	for _, name := range append(names, more...) {
		formatted, err := os.ReadFile(name)
		require.NoError(t, err)
		for spelling, data := range map[string][]byte{
			"formatted": formatted, "Windows": bytes.ReplaceAll(formatted, []byte("\n"), []byte("\r\n")),
			"spaces": bytes.ReplaceAll(formatted, []byte("\t"), []byte("  ")), "loose": bytes.ReplaceAll(formatted, []byte(": "), []byte(" :  ")),
		} {
			f := File{name, data}
			places, err := Index(f)
			require.NoError(t, err)
			for _, p := range places {
				if p.Kind != Literal || bytes.HasPrefix(data[p.Start:], []byte("\"\"\"")) {
					continue
				}
				there, err := Apply([]File{f}, set("another", p.Path...))
				require.NoError(t, err, "%s: %v", spelling, p.Path)
				require.Len(t, there, 1)
				require.Equal(t, bytes.Count(data, []byte("\n")), bytes.Count(there[0].Data, []byte("\n")), "%s: %v", spelling, p.Path)
				old := string(data[p.Start:p.End])
				again, err := Index(there[0])
				require.NoError(t, err)
				require.Len(t, again, len(places))
				back := Open(there[0])
				for i := len(again) - 1; i >= 0; i-- {
					if strings.Join(again[i].Path, "\x00") == strings.Join(p.Path, "\x00") {
						back.Replace(again[i].Start, again[i].End, old)
					}
				}
				data, err := back.Done()
				require.NoError(t, err)
				require.Equal(t, string(f.Data), string(data), "%s: %v", spelling, p.Path)
				edits++
			}
		}
	}
	t.Logf("%d edits", edits)
	require.Greater(t, edits, 500)
}

// What a value has in it stays in it: a byte order mark, which stops the parser, neither panics nor ends a file.
func TestEncodeMarks(t *testing.T) {
	for _, v := range []any{"a\ufeffb", map[string]any{"\ufeff": []string{"\ufeff"}}, "\u2028\u202e\x00\x7f", "<&>", "one\r\ntwo\n \n\tthree"} {
		data := edited(t, "a: 1\n", set(v, "b"))
		require.NotContains(t, data, "\ufeff")
		require.Equal(t, "a: 1\n", edited(t, data, unset("b")))
	}
}
