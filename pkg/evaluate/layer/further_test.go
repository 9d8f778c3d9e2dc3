package layer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Erasing leaves a file that parses, with everything else at its place.
func TestErase(t *testing.T) {
	for _, c := range []struct{ path, before, after string }{
		{"a.b", "a: {b: 1, c: 2}\n", "a: {      c: 2}\n"},
		{"a.c", "a: {b: 1, c: 2}\n", "a: {b: 1,     }\n"},
		{"a.b", "a: b: 1\nc: 2\n", "a: {}  \nc: 2\n"},
		{"a.b", "a: {\n\tb: {\n\t\tc: 1\n\t}\n\td: 2\n}\n", "a: {\n\t    \n      \n  \n\td: 2\n}\n"},
		{"a.0.b", "a: [{b: 1}, {b: 2}]\n", "a: [{    }, {b: 2}]\n"},
		{"a.b", "a: \"b\": 1\n", "a: {}    \n"},
	} {
		out, ok := without([]Source{{"x.cue", []byte(c.before)}}, map[string]bool{key(strings.Split(c.path, ".")): true})
		require.True(t, ok, c.before)
		require.Equal(t, c.after, string(out[0].Data))
	}
	for _, text := range []string{"a: {b: x}\nx: 1\n", "a: b: 1\nif true {c: 2}\n"} {
		out, ok := without([]Source{{"x.cue", []byte(text)}}, map[string]bool{key([]string{"a", "b"}): true})
		require.False(t, ok, "%s %s", text, out)
	}
}
