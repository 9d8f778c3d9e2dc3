// Package surface records what the users of D-AROS depend on: commands, flags, exit codes, JSON fields, metrics and
// error codes. Each record is a text file in testdata/surface of the package that owns the subject. A record may grow;
// it shrinks only where CHANGELOG.md announces what goes.
package surface

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Gap separates the name of an entry from its description: "daros_problems  gauge".
const Gap = "  "

// Check compares the entries that exist today with testdata/surface/NAME.txt. It fails for an entry that the record
// lacks, and for a recorded entry that is gone or changed, unless CHANGELOG.md names it in backticks under "Changed" or
// "Removed". With update it rewrites the record, and still keeps the entries that CHANGELOG.md does not name.
func Check(t testing.TB, name string, update bool, present []string) {
	t.Helper()
	require.NotEmpty(t, present)
	present = sorted(present)
	file := filepath.Join("testdata", "surface", name+".txt")
	data, err := os.ReadFile(file)
	if !update {
		require.NoError(t, err, "record it first: go test -update")
	}
	recorded := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
	added, lost := Compare(recorded, present, announced(t))
	if update {
		text := strings.Join(sorted(append(slices.Clone(present), lost...)), "\n") + "\n"
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		added = nil
	}
	require.Empty(t, lost, "%s: these are gone or changed, and users depend on them. If that is intended, name each one "+
		"in backticks in CHANGELOG.md under \"Changed\" or \"Removed\"", name)
	require.Empty(t, added, "%s: these are new. Record them: go test -update", name)
}

// Compare returns the entries that are only present, and those that are only recorded and whose name is not announced.
func Compare(recorded, present []string, announced func(name string) bool) (added, lost []string) {
	for _, entry := range present {
		if !slices.Contains(recorded, entry) {
			added = append(added, entry)
		}
	}
	for _, entry := range recorded {
		name, _, _ := strings.Cut(entry, Gap)
		if !slices.Contains(present, entry) && !announced(name) {
			lost = append(lost, entry)
		}
	}
	return added, lost
}

func sorted(entries []string) []string {
	entries = slices.Clone(entries)
	slices.Sort(entries)
	return slices.Compact(entries)
}

// announced reads CHANGELOG.md of this checkout.
func announced(t testing.TB) func(name string) bool {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		require.NotEqual(t, filepath.Dir(dir), dir, "no go.mod above the test")
		dir = filepath.Dir(dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	require.NoError(t, err)
	return Announced(string(text))
}

// Announced reports for a name whether a changelog has it in backticks under a heading "Changed" or "Removed".
func Announced(changelog string) func(name string) bool {
	var text strings.Builder
	heading := ""
	for line := range strings.Lines(changelog) {
		if strings.HasPrefix(line, "#") {
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		} else if heading == "Changed" || heading == "Removed" {
			text.WriteString(line)
		}
	}
	return func(name string) bool { return strings.Contains(text.String(), "`"+name+"`") }
}
