package cuefile

import (
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/literal"
	"github.com/stretchr/testify/require"
)

// FuzzApply: whatever the file, the path and the value, an edit is refused, or the file then says the
// value at that path, and taking it out again leaves no place that says it.
func FuzzApply(f *testing.F) {
	for _, seed := range [][3]string{
		{shop, "application.components.web.type", "worker"}, {shop, "application.a", "\"\\(b)"}, {"a: [1, {b: 2}]", "a.1.b", "x"},
		{"a: {b: 1 // c\n}\n// d\n", "a.b", "\n"}, {"\ufeffa: 1\r\nb: {\r\n}\r\n", "b.c", "}"}, {"a: X={b: 1} & {c: X.b}", "a.d", "x"},
		{"a: {\n\t// c\n}\n", "a.b.c", "x"}, {"a: {b: {if true {c: 1}}}", "a.b.c", "x"}, {"a: {b: 1,}", "a.c", "x"}, {"a: b: c: 1, a: {}", "a.b.d", "x"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, data, path, value string) {
		path, value = strings.ToValidUTF8(path, "?"), strings.ToValidUTF8(value, "?")
		at := strings.Split(path, ".")
		there, err := Apply([]File{{"a.cue", []byte(data)}}, set(value, at...))
		if err != nil {
			return
		}
		now := File{"a.cue", []byte(data)}
		if len(there) > 0 {
			now = there[0]
		}
		require.True(t, says(t, now, at, value), "%q", now.Data)
		gone, err := Apply([]File{now}, unset(at...))
		if err != nil {
			return
		}
		if len(gone) > 0 {
			now = gone[0]
		}
		places, err := Index(now)
		require.NoError(t, err, "%q", now.Data)
		require.False(t, slices.ContainsFunc(places, func(p Place) bool { return slices.Equal(p.Path, at) }), "%q", now.Data)
	})
}

// says reports whether a file says a string at a path.
func says(t *testing.T, f File, path []string, value string) bool {
	places, err := Index(f)
	require.NoError(t, err, "%q", f.Data)
	return slices.ContainsFunc(places, func(p Place) bool {
		if !slices.Equal(p.Path, path) || p.Kind != Literal {
			return false
		}
		s, err := literal.Unquote(string(f.Data[p.Start:p.End]))
		return err == nil && s == value
	})
}

// FuzzRename: whatever the file, the path and the name, a rename is refused, or the field has the name and nothing has the old one; the
// rename back is one that is done, and says what was said before.
func FuzzRename(f *testing.F) {
	for _, seed := range [][3]string{
		{shop, "application.components.web", "front-end"}, {"a: {b: 1 // c\n}\n", "a.b", "\"\\(c)"}, {"a: X=b: 1, a: {}", "a.b", "#c"},
		{"\ufeffa: {\"b\": 1,\r\n b: int}\r\n", "a.b", "\n"}, {"a: {if true {b: 1}}", "a.b", "c"}, {"a: {b: 1, c: a.b}", "a.b", "d"}, {"a: b?: int", "a.b", "c?"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, data, path, name string) {
		path, name = strings.ToValidUTF8(path, "?"), strings.ToValidUTF8(name, "?")
		at := strings.Split(path, ".")
		there, err := Apply([]File{{"a.cue", []byte(data)}}, Edit{Path: at, Op: Rename, Value: name})
		if err != nil || len(there) == 0 {
			return
		}
		to := append(slices.Clone(at[:len(at)-1]), name)
		has := func(f File, path []string) bool {
			places, err := Index(f)
			require.NoError(t, err, "%q", f.Data)
			return slices.ContainsFunc(places, func(p Place) bool { return slices.Equal(p.Path, path) })
		}
		require.True(t, has(there[0], to), "%q", there[0].Data)
		require.False(t, has(there[0], at), "%q", there[0].Data)
		back, err := Apply(there, Edit{Path: to, Op: Rename, Value: at[len(at)-1]})
		require.NoError(t, err, "%q", there[0].Data)
		require.Len(t, back, 1)
		require.NoError(t, Edit{Path: at}.keeps(File{"a.cue", []byte(data)}, back[0], at))
	})
}
