package cuefile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A conflict is where both sides changed one value since the base, and to different ones.
func TestConflicts(t *testing.T) {
	const base = "a: {\n\tb: 1\n\tlist: [1, 2]\n\tc: {d: 1}\n}\n"
	for name, c := range map[string]struct {
		theirs string
		edit   Edit
		want   []Conflict
	}{
		"nothing changed":        {base, set(2, "a", "b"), nil},
		"a neighbour changed":    {"// new\na: {\n\tb: 1\n\tlist: [3]\n\tc: d: 7\n}\n", set(2, "a", "b"), nil},
		"only the spelling":      {"a: b:   1\na: list: [1, 2], a: c: d: 1", set(2, "a", "b"), nil},
		"both the same":          {"a: {b: 2, list: [1, 2], c: {d: 1}}", set(2, "a", "b"), nil},
		"both differently":       {"a: {b: 3, list: [1, 2], c: {d: 1}}", set(2, "a", "b"), []Conflict{{[]string{"a", "b"}, "1", "2", "3"}}},
		"they took it out":       {"a: {list: [1, 2]}", set(2, "a", "c", "d"), []Conflict{{[]string{"a", "c", "d"}, "1", "2", ""}}},
		"I take out what is new": {"a: {b: 1, c: {d: 2}}", unset("a", "c"), []Conflict{{[]string{"a", "c"}, "{d: 1}", "", "{d: 2}"}}},
		"both add one":           {base + "a: e: 1", set(2, "a", "e"), []Conflict{{[]string{"a", "e"}, "", "2", "1"}}},
		"an element":             {"a: {b: 1, list: [0, 1, 2]}", Edit{Path: []string{"a", "list", "0"}, Op: Remove}, []Conflict{{[]string{"a", "list"}, "[1, 2]", "[2]", "[0, 1, 2]"}}},
		"another element":        {"a: {b: 9, list: [1, 2]}", Edit{Path: []string{"a", "list"}, Op: Add, Value: 3}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := Conflicts([]File{{"a.cue", []byte(base)}}, []File{{"a.cue", []byte(c.theirs)}}, c.edit)
			require.NoError(t, err)
			require.Equal(t, c.want, found)
		})
	}
	_, err := Conflicts([]File{{"a.cue", []byte(base)}}, []File{{"a.cue", []byte("a: {")}}, set(2, "a", "b"))
	require.ErrorContains(t, err, "expected '}'")
}
