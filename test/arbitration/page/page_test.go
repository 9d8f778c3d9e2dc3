package page

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(path, []byte("before\n<!-- begin x -->\nold\n<!-- end x -->\nafter\n"), 0o644))
	require.NoError(t, Replace(path, "x", "new\n"))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "before\n<!-- begin x -->\nnew\n<!-- end x -->\nafter\n", string(got))
	require.ErrorContains(t, Replace(path, "y", "new\n"), "it has no line")
}
