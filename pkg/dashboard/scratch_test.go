package dashboard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScratchOfTheDead: what a server left that was killed goes away when the next one starts a worker, and nothing else does.
func TestScratchOfTheDead(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	at := func(name string) string { return filepath.Join(temp, name) }
	for _, name := range []string{"reconciler-ui-1", "reconciler-ui-2", "reconciler-ui-", "reconciler-ui-x", "reconciler-ui-12a", "other"} {
		require.NoError(t, os.MkdirAll(at(name+"/below"), 0o755))
		require.NoError(t, os.WriteFile(at(name+"/below/file"), nil, 0o600))
	}
	require.NoError(t, os.Symlink(at("other"), at("reconciler-ui-3")))
	require.NoError(t, os.WriteFile(at("reconciler-ui-4"), nil, 0o600))
	if os.Geteuid() == 0 {
		require.NoError(t, os.Mkdir(at("reconciler-ui-5"), 0o755))
		require.NoError(t, os.Chown(at("reconciler-ui-5"), 65532, 65532))
	}

	first, err := newScratch()
	require.NoError(t, err)
	require.NoDirExists(t, at("reconciler-ui-1"))
	require.NoDirExists(t, at("reconciler-ui-2"))
	for _, name := range []string{"reconciler-ui-", "reconciler-ui-x", "reconciler-ui-12a", "other"} {
		require.FileExists(t, at(name+"/below/file"))
	}
	require.FileExists(t, at("reconciler-ui-4"))
	if os.Geteuid() == 0 {
		require.DirExists(t, at("reconciler-ui-5"), "that of another user")
	}

	second, err := newScratch()
	require.NoError(t, err)
	require.DirExists(t, first.name, "that of the living")
	require.NoError(t, first.lock.Close()) // as the kernel does for a process that was killed
	second.remove()
	require.NoDirExists(t, second.name)
	third, err := newScratch()
	require.NoError(t, err)
	require.NoDirExists(t, first.name)
	third.remove()
}
