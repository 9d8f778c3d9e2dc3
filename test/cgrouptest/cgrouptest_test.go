//go:build linux

package cgrouptest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRemoveTakesWhatIsBelow: parallel tests share the group above theirs, which whoever made it may remove first.
func TestRemoveTakesWhatIsBelow(t *testing.T) {
	V1(t, "cpu")
	top := filepath.Join(Root, "cpu", Name(t))
	require.NoError(t, os.MkdirAll(filepath.Join(top, "a", "b"), 0o755))
	runs := Command("exec sleep 1000", filepath.Join(top, "a", "b"))
	require.NoError(t, runs.Start())
	remove(t, top)
	require.Error(t, runs.Wait(), "it was killed")
	require.NoDirExists(t, top)
	remove(t, top) // as whoever made it still does
}
