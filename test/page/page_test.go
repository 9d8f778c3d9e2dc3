package page

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	const text = "before\n<!-- x -->\nold\n<!-- end -->\nbetween\n<!-- open -->\n<!-- y -->\n<!-- end -->\nafter\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	require.Equal(t, "old\n", Part(t, path, "x"))
	require.Empty(t, Part(t, path, "y"))
	Hold(t, false, path, "x", "old\n")

	Hold(t, true, path, "x", "new\n")
	require.NoError(t, Replace(path, "y", "1\n2\n"))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "before\n<!-- x -->\nnew\n<!-- end -->\nbetween\n<!-- open -->\n<!-- y -->\n1\n2\n<!-- end -->\nafter\n", string(got))

	require.ErrorContains(t, Replace(path, "z", ""), "no line \"<!-- z -->\"")
	require.ErrorContains(t, Replace(path, "open", ""), "ends it")
	require.Error(t, Replace(path+"x", "x", ""))
}
