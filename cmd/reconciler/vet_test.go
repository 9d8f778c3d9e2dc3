package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestAuthoring runs the real commands on fleet repos on disk, beside the real git
// and cue.
func TestAuthoring(t *testing.T) {
	example, err := filepath.Abs("../../examples/repo")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/authoring",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// example DIR copies examples/repo.
			"example": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(example)))
			},
			// replace FILE OLD NEW replaces text that the file must have.
			"replace": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(replaceIn(ts.MkAbs(args[0]), args[1], args[2]))
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("CUE_REGISTRY", "none")
			env.Setenv("CUE_CACHE_DIR", filepath.Join(env.WorkDir, ".cue-cache"))
			return isolate(env)
		},
	})
}

func replaceIn(name, old, new string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, after, ok := strings.Cut(string(data), old)
	if !ok {
		return &fs.PathError{Op: "replace " + old + " in", Path: name, Err: fs.ErrNotExist}
	}
	return os.WriteFile(name, []byte(before+new+after), 0o644)
}

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
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big"), make([]byte, mostBytes+1), 0o644))
	w, err := openWorkTree(t.Context(), filepath.Join(dir, "tenants", "acme"))
	require.NoError(t, err)
	defer w.close()
	require.Equal(t, "tenants/acme", w.below)
	files, err := w.files(t.Context())
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
	changed, err := files.with("tenants/acme/apps/shop/a/b/c.txt", []byte("z"))
	require.NoError(t, err)
	for name, same := range map[string]bool{".": false, "tenants/acme/apps/shop": false, "fleet.cue": true} {
		before, err := files.Digest(name)
		require.NoError(t, err)
		after, err := changed.Digest(name)
		require.NoError(t, err)
		require.Equal(t, same, before == after, name)
	}
}
