package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/page"
)

var update = flag.Bool("update", false, "write the table of the threat model anew")

// TestDefencesAreWhereTheyWere: each edit fits its file once and leaves Go, and each case
// of the list of attacks has a test, a defence and a row in the threat model.
func TestDefencesAreWhereTheyWere(t *testing.T) {
	t.Chdir("../..")
	var table strings.Builder
	table.WriteString("| case | test | where | without which it fails |\n| --- | --- | --- | --- |\n")
	var cases []string
	for _, d := range defences {
		text, err := d.edit().Text(".")
		require.NoError(t, err)
		_, err = parser.ParseFile(token.NewFileSet(), d.File, text, 0)
		require.NoError(t, err, "%s %s", d.Case, d.File)
		name, _, _ := strings.Cut(d.Test, "/")
		require.True(t, hasTest(t, d.Package, name), "%s has no %s", d.Package, name)
		if d.Case != "ledger" && d.Case != "15" {
			require.True(t, strings.HasPrefix(name, "TestAttack"+d.Case), name)
		}
		fmt.Fprintf(&table, "| %s | `%s` | `%s` | `%s` |\n", d.Case, name, strings.TrimPrefix(d.Package, "./"), d.File)
		cases = append(cases, d.Case)
	}
	for i := range 26 {
		require.True(t, slices.Contains(cases, fmt.Sprintf("%02d", i+1)), "case %d", i+1)
	}
	page.Hold(t, *update, "docs/threat-model.md", "attacks", table.String())
}

func hasTest(t *testing.T, dir, name string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(b), "func "+name+"(t *testing.T)")
	})
}
