package scratch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScratchOfTheDead: what a process left that was killed goes away when the next one makes a directory, and nothing else does.
func TestScratchOfTheDead(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	at := func(name string) string { return filepath.Join(temp, name) }
	for _, name := range []string{"reconciler-scratch-1", "reconciler-scratch-2", "reconciler-scratch-", "reconciler-scratch-x", "reconciler-scratch-12a", "other"} {
		require.NoError(t, os.MkdirAll(at(name+"/below"), 0o755))
		require.NoError(t, os.WriteFile(at(name+"/below/file"), nil, 0o600))
	}
	require.NoError(t, os.Symlink(at("other"), at("reconciler-scratch-3")))
	require.NoError(t, os.WriteFile(at("reconciler-scratch-4"), nil, 0o600))
	if os.Geteuid() == 0 {
		require.NoError(t, os.Mkdir(at("reconciler-scratch-5"), 0o755))
		require.NoError(t, os.Chown(at("reconciler-scratch-5"), 65532, 65532))
	}

	first, err := New()
	require.NoError(t, err)
	require.NoDirExists(t, at("reconciler-scratch-1"))
	require.NoDirExists(t, at("reconciler-scratch-2"))
	for _, name := range []string{"reconciler-scratch-", "reconciler-scratch-x", "reconciler-scratch-12a", "other"} {
		require.FileExists(t, at(name+"/below/file"))
	}
	require.FileExists(t, at("reconciler-scratch-4"))
	if os.Geteuid() == 0 {
		require.DirExists(t, at("reconciler-scratch-5"), "that of another user")
	}

	second, err := New()
	require.NoError(t, err)
	require.DirExists(t, first.Name, "that of the living")
	require.NoError(t, first.lock.Close()) // as the kernel does for a process that was killed
	second.Remove()
	require.NoDirExists(t, second.Name)
	third, err := New()
	require.NoError(t, err)
	require.NoDirExists(t, first.Name)
	third.Remove()
}
