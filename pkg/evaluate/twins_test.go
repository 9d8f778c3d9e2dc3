package evaluate

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/d-aros/d-aros/test/tier"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// twin makes the harmless twin of a refused fleet. A section with a name is a whole
// file, one without is a script of edits.
func twin(t testing.TB, refused *txtar.Archive, sections ...txtar.File) *txtar.Archive {
	out := &txtar.Archive{Files: slices.Clone(refused.Files)}
	for _, s := range sections {
		if s.Name == "" {
			edit(t, out.Files, string(s.Data))
			continue
		}
		out.Files = slices.DeleteFunc(out.Files, func(f txtar.File) bool { return f.Name == s.Name })
		out.Files = append(out.Files, s)
	}
	return out
}

// edit carries out a script on the files of an example: lines that begin with "-"
// are replaced by those with "+" behind them, "mv OLD NEW" renames a file.
func edit(t testing.TB, files []txtar.File, script string) {
	lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
	for len(lines) > 0 {
		if _, ok := strings.CutPrefix(lines[0], "mv "); ok {
			rename(t, files, lines[0])
			lines = lines[1:]
			continue
		}
		var before, after string
		before, lines = marked("-", lines)
		after, lines = marked("+", lines)
		require.NotEmpty(t, before, "the script is not of -, + and mv: %s", script)
		found := 0
		for i, f := range files {
			found += bytes.Count(f.Data, []byte(before))
			files[i].Data = bytes.Replace(f.Data, []byte(before), []byte(after), 1)
		}
		require.Equal(t, 1, found, "how often the example has %q", before)
	}
}

// rename gives the file of the longest name that the line begins with another.
func rename(t testing.TB, files []txtar.File, line string) {
	for i, f := range files {
		if to, ok := strings.CutPrefix(line, "mv "+f.Name+" "); ok {
			files[i].Name = to
			return
		}
	}
	require.Fail(t, "there is no such file: "+line)
}

// marked cuts the text of the lines that begin with a mark off the front.
func marked(mark string, lines []string) (text string, rest []string) {
	var out []string
	for len(lines) > 0 && (lines[0] == mark || strings.HasPrefix(lines[0], mark+" ")) {
		out = append(out, strings.TrimPrefix(strings.TrimPrefix(lines[0], mark), " "))
		lines = lines[1:]
	}
	return strings.Join(out, "\n"), lines
}

// A pair is a refused fleet and its twin, both as changes to the base fleet.
type pair struct {
	name, want        string
	refused, accepted *txtar.Archive // accepted is nil if it is not known
}

// pairs returns the examples of the rules, with their twins of testdata/fixes.txtar,
// and the bypasses, sorted.
func pairs(t testing.TB) (all []pair) {
	fixes := map[string][]txtar.File{}
	for _, f := range archive(t, "fixes.txtar").Files {
		name, path, _ := strings.Cut(f.Name, "/")
		fixes[name] = append(fixes[name], txtar.File{Name: path, Data: f.Data})
	}
	cases := examples(t)
	for _, name := range sortedNames(cases) {
		refused, want := split(cases[name])
		p := pair{name: name, want: want, refused: refused}
		if fix, ok := fixes[name]; ok {
			p.accepted = twin(t, refused, fix...)
		}
		all = append(all, p)
		delete(fixes, name)
	}
	require.Empty(t, slices.Sorted(maps.Keys(fixes)), "fixes of no example")
	return append(all, bypasses(t)...)
}

// Beside every example of a rule stands one that is accepted and differs in
// nothing but what the rule is about: a rule that refuses too much shows here.
func TestTwinsAreAccepted(t *testing.T) {
	base, all := archive(t, "base.txtar"), pairs(t)
	for _, p := range all {
		require.NotNil(t, p.accepted, "write the smallest change that makes %s accepted into testdata/fixes.txtar", p.name)
	}
	for _, p := range tier.Some(3, all) {
		t.Run(p.name, func(t *testing.T) {
			f := judged(t, Through(examined), planted(base, p.accepted), releases(t))
			require.Empty(t, report(f))
			require.Empty(t, f.Unusable)
			require.Empty(t, f.UnusableTenants)
			require.NotEmpty(t, f.Applications)
		})
	}
}

// releasedCommit is a commit in which the application shop is that of the base.
const releasedCommit = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

func releases(t testing.TB) func(string) (Files, error) {
	return func(commit string) (Files, error) {
		if commit == releasedCommit {
			return unpack(archive(t, "base.txtar")), nil
		}
		return beforeShop(commit)
	}
}
