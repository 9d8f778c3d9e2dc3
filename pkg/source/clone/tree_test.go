package clone_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/test/gittest"
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
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big"), make([]byte, 1<<20+1), 0o644))
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
	changed, err := w.With(files, clone.Change{Name: "tenants/acme/apps/shop/a/b/c.txt", After: []byte("z")})
	require.NoError(t, err)
	for name, same := range map[string]bool{".": false, "tenants/acme/apps/shop": false, "fleet.cue": true} {
		before, err := files.Digest(name)
		require.NoError(t, err)
		after, err := changed.Digest(name)
		require.NoError(t, err)
		require.Equal(t, same, before == after, name)
	}
}

// A work tree is the tree that "git add --all" commits, in the whole repository and in a directory of it.
func TestFilesAreWhatGitWouldCommit(t *testing.T) {
	for _, below := range []string{".", "fleets/eu"} {
		repo := gittest.New(t)
		dir := filepath.Join(repo.Dir, below)
		write := func(name, content string) { repo.Write(filepath.Join(below, name), content) }
		for _, name := range []string{"fleet.cue", "kept.cue", "changed.cue", "gone/a.cue", "was-directory/a.cue", "was-file", "script.sh"} {
			write(name, name)
		}
		repo.Write("elsewhere.txt", "not of the fleet")
		before := repo.Commit("first")

		write(".gitignore", "*.log\n")
		write("ignored.log", "no")
		write("changed.cue", "differs")
		write("staged.cue", "staged")
		repo.Git("add", filepath.Join(below, "staged.cue"))
		write("staged.cue", "and changed again")
		write("tenants/acme/new.cue", "new")
		for _, name := range []string{"gone", "was-directory", "was-file"} {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
		}
		write("was-directory", "a file")
		write("was-file/a.cue", "a directory")
		require.NoError(t, os.Symlink("fleet.cue", filepath.Join(dir, "link.cue")))
		repo.Git("init", "-q", filepath.Join(dir, "nested"))

		w, err := clone.Open(t.Context(), dir)
		require.NoError(t, err)
		t.Cleanup(w.Close)
		files, err := w.Files(t.Context())
		require.NoError(t, err)
		list := func(files fs.FS) (names []string) {
			require.NoError(t, fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
				if e.Type().IsRegular() {
					content, err := fs.ReadFile(files, name)
					require.NoError(t, err)
					name += ": " + string(content)
				}
				names = append(names, name)
				return err
			}))
			return names
		}
		nested, err := fs.Stat(files, "nested")
		require.Error(t, err, "%v: a repository of its own is not followed", nested)

		require.NoError(t, os.RemoveAll(filepath.Join(dir, "nested")))
		repo.Git("add", "--all")
		repo.Git("commit", "--quiet", "--message", "second")
		committed, err := w.Commit(t.Context(), repo.Git("rev-parse", "HEAD"))
		require.NoError(t, err)
		want, got := list(committed), list(files)
		require.Contains(t, want, "was-directory: a file")
		require.Contains(t, want, "staged.cue: and changed again")
		if below != "." {
			require.NotContains(t, want, "elsewhere.txt: not of the fleet")
		}
		require.Equal(t, want, slices.DeleteFunc(got, func(name string) bool { return name == "nested" }))
		for _, name := range []string{"tenants", "fleet.cue", "was-file"} {
			a, err := files.Digest(name)
			require.NoError(t, err)
			b, err := committed.Digest(name)
			require.NoError(t, err)
			require.Equal(t, b, a, name)
		}

		first, err := w.Commit(t.Context(), before)
		require.NoError(t, err)
		require.Contains(t, list(first), "gone/a.cue: gone/a.cue")
		_, err = w.Commit(t.Context(), repo.Git("commit-tree", "-m", "empty", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"))
		require.NoError(t, err, "a commit from before there was a fleet has no files of it")
	}
}
