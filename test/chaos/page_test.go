package chaos

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the lists of the threat model anew")

// TestPage: the threat model lists what is done and what must hold.
func TestPage(t *testing.T) {
	const page, head, foot = "../../docs/threat-model.md", "<!-- chaos -->\n", "<!-- end of chaos -->\n"
	var lists strings.Builder
	lists.WriteString("| what is done |\n| --- |\n")
	for _, f := range faults {
		lists.WriteString("| " + f.name + " |\n")
	}
	lists.WriteString("\n| what holds after each |\n| --- |\n| a change of another tenant arrives |\n")
	for _, p := range properties {
		lists.WriteString("| " + p.name + " |\n")
	}
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(b), head)
	require.True(t, found)
	was, after, found := strings.Cut(rest, foot)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+head+lists.String()+foot+after), 0o644))
		return
	}
	require.Equal(t, lists.String(), was, "go test ./test/chaos -run TestPage -update")
}
