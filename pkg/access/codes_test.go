package access_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryCodeIsExplained holds docs/access.md to the codes in use.
func TestEveryCodeIsExplained(t *testing.T) {
	source, err := os.ReadFile("commit.go")
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/access.md")
	require.NoError(t, err)
	var used, explained []string
	for _, m := range regexp.MustCompile(`= "(DA20\d\d)"`).FindAllSubmatch(source, -1) {
		used = append(used, string(m[1]))
	}
	for _, m := range regexp.MustCompile(`(?m)^\| (DA20\d\d) \|`).FindAllSubmatch(page, -1) {
		explained = append(explained, string(m[1]))
	}
	require.NotEmpty(t, used)
	require.True(t, slices.IsSorted(used))
	require.Equal(t, used, explained)
}
