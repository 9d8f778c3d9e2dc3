package clone_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/source/clone"
)

// A work tree reads like the tree of a commit.
func TestFilesOfAWorkTree(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"fleet.cue": "package fleet", "tenants/acme/tenant.cue": "x", "tenants/acme/apps/shop/a/b/c.txt": "y", ".git/config": "no",
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(data), 0o644))
	}
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "tenants/link.cue")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big"), make([]byte, clone.MaxBytes+1), 0o644))
	w, err := clone.Open(t.Context(), filepath.Join(dir, "tenants", "acme"))
	require.NoError(t, err)
	defer w.Close()
	require.Equal(t, "tenants/acme", w.Below)
	files, err := w.Files(t.Context())
	require.NoError(t, err)

	app, err := fs.Sub(files, "tenants/acme/apps")
	require.NoError(t, err)
	require.NoError(t, fstest.TestFS(app, "shop/a/b/c.txt"))
	_, err = fs.ReadFile(files, "tenants/link.cue")
	require.Error(t, err, "links are not followed")
	_, err = fs.ReadFile(files, "big")
	require.ErrorContains(t, err, "at most 1048576")
	_, err = fs.Stat(files, ".git/config")
	require.ErrorIs(t, err, fs.ErrNotExist)

	// A digest speaks for everything below.
	changed, err := files.With("tenants/acme/apps/shop/a/b/c.txt", []byte("z"))
	require.NoError(t, err)
	for name, same := range map[string]bool{".": false, "tenants/acme/apps/shop": false, "fleet.cue": true} {
		before, err := files.Digest(name)
		require.NoError(t, err)
		after, err := changed.Digest(name)
		require.NoError(t, err)
		require.Equal(t, same, before == after, name)
	}
}
