package layer

import (
	"bytes"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"
)

// FuzzIndex: every value that a file writes is found by its path, at the place where
// it is written.
func FuzzIndex(f *testing.F) {
	for _, file := range archive(f, "full.txtar").Files {
		f.Add(file.Data)
	}
	f.Add([]byte("a: b: \"c\": 1\na: {b: d: [2, {e: 3}]}\n\"x\\n\": 'y'\n#d: _h: true\nx?: y!: 1\n[string]: 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parser.ParseFile("x.cue", data)
		if err != nil || len(data) > 16<<10 {
			return
		}
		ix := index{}
		ix.add(file, nil)
		files := fstest.MapFS{"x.cue": {Data: data}}
		for k, entries := range ix {
			segments := strings.Split(k, "\x00")
			if len(strings.Split(key(segments), "\x00")) != len(segments) {
				continue
			}
			e, depth := ix.find(segments)
			require.Equal(t, len(segments), depth)
			require.Equal(t, entries[0], e)
			_, deeper := ix.find(append(segments, "no such field"))
			require.Equal(t, len(segments), deeper, "the nearest that is written")
		}
		ast.Walk(file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			if lit, ok := field.Value.(*ast.BasicLit); ok && lit.Pos().IsValid() {
				rest := textAt(t, files, lit.Pos().String())
				require.True(t, strings.HasPrefix(rest, strings.SplitN(lit.Value, "\n", 2)[0]), "%s: %q", lit.Pos(), lit.Value)
			}
			return true
		}, nil)
	})
}

// textAt returns the text of the files from FILE:LINE:COLUMN on, "" at the top of
// what is no text.
func textAt(t *testing.T, files fs.FS, at string) string {
	parts := strings.Split(at, ":")
	require.Len(t, parts, 3, at)
	line, err := strconv.Atoi(parts[1])
	require.NoError(t, err)
	column, err := strconv.Atoi(parts[2])
	require.NoError(t, err)
	data, err := fs.ReadFile(files, parts[0])
	if line == 1 && column == 1 {
		return string(data) // of the whole file or directory, or of one that is missing
	}
	require.NoError(t, err, at)
	lines := bytes.SplitAfter(data, []byte("\n"))
	require.LessOrEqual(t, line, len(lines), at)
	require.LessOrEqual(t, column-1, len(lines[line-1]), at)
	return string(bytes.Join(lines[line-1:], nil)[column-1:])
}

// TestHiddenFieldsAreNotQuoted: a value of a secret may come from a hidden field, so no sentence says what stands there.
func TestHiddenFieldsAreNotQuoted(t *testing.T) {
	own, problems := Parse("application", []Source{{"app.cue", []byte("package fleet\n\napplication: {\n\t_pw: \"hunter2\"\n\t#t: \"hunter2\"\n\tname: \"shop\"\n}\n")}})
	require.Empty(t, problems)
	for _, path := range []string{"application._pw", "application.#t"} {
		e, ok := own.Where.exact(path)
		require.True(t, ok, path)
		require.Empty(t, e.Text, path)
	}
	e, _ := own.Where.exact("application.name")
	require.Equal(t, `"shop"`, e.Text)
}

// TestSyntaxQuotesNothing: what a file says that cannot be parsed may be a secret.
func TestSyntaxQuotesNothing(t *testing.T) {
	_, problems := Parse("application", []Source{{"app.cue", []byte("package fleet\n\napplication: {data: pw: \"x\" \"hunter2\"}\n")}})
	require.NotEmpty(t, problems)
	require.NotContains(t, problems[0].String(), "hunter2")
}
