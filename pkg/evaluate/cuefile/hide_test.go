package cuefile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHide: what is private is in no byte of the file that is shown, nor are comments and strings that belong to no path.
// Everything else stays as it is.
func TestHide(t *testing.T) {
	private := func(path []string, says string) bool {
		return path == nil || slices.Contains(path, "data") || says == "hunter2"
	}
	shown := func(_ []string, says string) string { return strings.Repeat("*", len(says)/100) }
	for file, want := range map[string]string{
		"a: {image: \"x\"} // old: hunter1\n":                                "a: {image: \"x\"} // old: hunter1\n", // nothing is hidden
		"// was hunter1\na: data: \"hunter2\" // hunter1\nb: 1 // hunter1\n": "// …\na: data: \"\" // …\nb: 1 // …\n",
		"a: data: #\"hunter2\"#\n":                                           "a: data: \"\"\n",
		"a: data: '''\n\thunter2\n\t'''\n":                                   "a: data: \"\"\n",
		"a: data: [\"hunter2\", 4711, {b: \"hunter3\"}]\n":                   "a: data: [\"\", \"\", {b: \"\"}]\n",
		"a: data: \"\\(b)hunter2\"\nb: \"open\"\n":                           "a: data: \"\"\nb: \"open\"\n",
		"let pw = \"hunter3\"\na: data: pw\nb: {c: \"open\"}\n":              "let pw = \"\"\na: data: pw\nb: {c: \"open\"}\n",
		"a: data: \"x\" + \"hunter3\"\nc: \"hunter2\"\nd: -3\n":              "a: data: \"\" + \"\"\nc: \"\"\nd: -3\n",
		"if true {a: data: \"hunter2\"}\n":                                   "if true {a: data: \"\"}\n",
		"import \"strings\"\na: data: strings.Join([\"hunter2\"], \"\")\n":   "import \"strings\"\na: data: strings.Join([\"\"], \"\")\n",
		"a: {\"hunter key\": 1, data: hunter2: \"hunter3\"}\n":               "a: {\"hunter key\": 1, data: hunter2: \"\"}\n",
		"a: data: \"hunter2\n":                                               "", // it cannot be parsed
		"a: " + strings.Repeat("a: ", 200) + "\"hunter2\"\n":                 "", // nor that
	} {
		require.Equal(t, want, string(Hide(File{"app.cue", []byte(file)}, private, shown).Data), file)
	}
}

// TestValues: a literal is told as JSON has it.
func TestValues(t *testing.T) {
	places, err := Index(File{"app.cue", []byte(`a: [1, -2, 1.5, "x", #"y\n"#, true, null, 1Ki, 0x10, 'b', {}]`)})
	require.NoError(t, err)
	var says []any
	for _, p := range places[1:] {
		says = append(says, p.Value())
	}
	require.Equal(t, "[1 -2 1.5 x y\\n true <nil> <nil> <nil> <nil> <nil>]", fmt.Sprint(says))
}

// TestSyntaxQuotesNothing: the error of a file that cannot be parsed tells where, and not what stands there.
func TestSyntaxQuotesNothing(t *testing.T) {
	for _, file := range []string{"a: {b: \"x\" \"hunter2\"}\n", "a: hunter2 hunter2\n", "a: \"hunter2\n", "a: 4711hunter2\n", "a: {data: pw: hunter2\"\n}"} {
		_, err := Index(File{"app.cue", []byte(file)})
		require.ErrorContains(t, err, "read app.cue:1:", file)
		require.NotContains(t, err.Error(), "hunter2", file)
	}
}

// TestTooComplex: what works on a file recurses, so a file that the reconciler would not take is not worked on.
func TestTooComplex(t *testing.T) {
	for name, file := range map[string]string{
		"labels":   strings.Repeat("a: ", 80_000) + "1",
		"braces":   strings.Repeat("a: {", 60_000) + strings.Repeat("}", 60_000),
		"brackets": "a: " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"sum":      "a: 1" + strings.Repeat("+1", 120_000),
		"signs":    "a: " + strings.Repeat("-", 250_000) + "1",
		"fields":   strings.Repeat("a: 1\n", 50_000),
	} {
		_, err := Apply([]File{{"app.cue", []byte(file)}}, Edit{Path: []string{"b"}, Op: Set, Value: 1})
		require.Error(t, err, name)
	}
}
