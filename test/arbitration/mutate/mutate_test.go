package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryMutationCanBePlanted: every row changes something that is there once, and caught.txt has a line for
// each row, in order. That each bug is caught takes minutes: make mutate-arbitration.
func TestEveryMutationCanBePlanted(t *testing.T) {
	text, err := os.ReadFile("caught.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, len(mutations), "run make mutate-arbitration")
	for i, m := range mutations {
		_, err := m.edit().Text("../../..")
		require.NoError(t, err, m.what)
		require.True(t, strings.HasPrefix(lines[i], m.file+": "+m.what+": "), "%s: run make mutate-arbitration", m.what)
		require.NotContains(t, lines[i], "SURVIVES")
	}
}
