package announce_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
)

var update = flag.Bool("update", false, "rewrite the table in docs/operations.md")

// TestPageIsTrue holds docs/operations.md to the kinds that there are.
func TestPageIsTrue(t *testing.T) {
	var table strings.Builder
	table.WriteString("| kind | means | line in the log |\n|---|---|---|\n")
	for _, row := range announce.Kinds {
		line := "none: it only stands in the history"
		if row.Log != "" {
			line = "`" + row.Log + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", row.Kind, row.Means, line)
	}
	const file, begin, end = "../../docs/operations.md", "<!-- announcements -->\n", "<!-- end -->"
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(page), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := before + begin + table.String() + end + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(page), "run go test ./pkg/announce -update")
}
