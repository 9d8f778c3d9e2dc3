package apply

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

var update = flag.Bool("update", false, "write the table of outcomes into docs/apply.md")

// TestPageHasEveryOutcome holds docs/apply.md to the reasons of outcomes.
func TestPageHasEveryOutcome(t *testing.T) {
	const file, begin = "../../docs/apply.md", "<!-- outcomes -->\n"
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var table strings.Builder
	table.WriteString("| reason | what it means | what you can do | final |\n|---|---|---|---|\n")
	for _, k := range model.OutcomeKinds {
		final := ""
		if k.Final {
			final = "yes"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", k.Reason, k.Means, k.Do, final)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, "<!-- end -->")
	require.True(t, ok)
	want := before + begin + table.String() + "<!-- end -->" + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(b), "run go test ./pkg/apply -run Page -update")
}
