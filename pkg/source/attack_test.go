package source_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/gittest"
)

func snapshot(t testing.TB, r *source.Repository) source.Snapshot {
	t.Helper()
	s, err := r.Snapshot(t.Context())
	require.NoError(t, err)
	return s
}

// refused checks that a name shows as irregular and cannot be opened.
func refused(t *testing.T, files *source.Files, name, why string) {
	t.Helper()
	_, err := files.ReadFile(name)
	require.ErrorContains(t, err, why)
	_, err = files.Open(name + "/below")
	require.Error(t, err)
	entries, err := files.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() == name {
			require.Equal(t, fs.ModeIrregular, e.Type())
			require.False(t, e.IsDir())
			return
		}
	}
	t.Fatalf("%s is not listed", name)
}

func TestAttack01Symlink(t *testing.T) {
	repo := gittest.New(t)
	for name, target := range map[string]string{
		"absolute": "/etc/passwd", "up": "../../../../etc/passwd", "git": ".git/config", "dangling": "nowhere", "loop": "loop",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(repo.Dir, name)))
	}
	repo.Commit("links")
	files := snapshot(t, open(t, source.Options{URL: repo.Dir})).Files
	for _, name := range []string{"absolute", "up", "git", "dangling", "loop"} {
		refused(t, files, name, "symbolic link")
	}
}

func TestAttack10GitArgumentInjection(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "executed")
	for _, url := range []string{
		"", "--upload-pack=touch " + marker, "-oProxyCommand=touch " + marker, "ext::sh -c touch% " + marker, "fd::17",
		"https://example.com/a\nb", "https://example.com/a\x00", "ssh://-oProxyCommand=x/y", "ssh://-x@host/y", "ftp://example.com/x", "git://example.com/x",
		"http://example.com/x", "https://user:hunter2@example.com/x", "https://token@example.com/x", "file://host/x", "https://", "https://example.com/-x",
		"https://example.com/x?y=z", strings.Repeat("a", 3000), "javascript://x/y", "host:-x", "-x@host:y",
	} {
		_, err := source.Open(t.Context(), source.Options{URL: url, Dir: t.TempDir()})
		if url == "host:-x" { // a local path, which does not exist
			continue
		}
		require.Error(t, err, "%q", url)
		require.NotContains(t, err.Error(), "hunter2")
		require.NotContains(t, err.Error(), "token@")
	}
	repo := gittest.New(t)
	for _, ref := range []string{"--upload-pack=x", "-x", "a..b", "a b", "a\nb", "a~1", "a^", "a:b", "a?", "a*", "a[", `a\`, "a@{1}", "@", "HEAD",
		".a", "a/.b", "a.lock", "a/", "/a", "a//b", "a.", strings.Repeat("a", 300), "a\x7f"} {
		_, err := source.Open(t.Context(), source.Options{URL: repo.Dir, Branch: ref, Dir: t.TempDir()})
		require.Error(t, err, "%q", ref)
		_, err = source.Open(t.Context(), source.Options{URL: repo.Dir, Revision: ref, Dir: t.TempDir()})
		require.Error(t, err, "%q", ref)
	}
	require.NoFileExists(t, marker)
}

func TestAttack12EvilNames(t *testing.T) {
	repo := gittest.New(t)
	blob := repo.GitIn("evil", "hash-object", "-w", "--stdin")
	long := strings.Repeat("n", 4096)
	var tree strings.Builder
	raw := func(mode, name string) {
		tree.WriteString(mode + " " + name + "\x00")
		h, _ := git.ParseHash(blob)
		tree.Write(h[:])
	}
	for _, name := range []string{".git", ".GIT", "git~1", ".git. ", "..", ".", "a/b", "a\\b", "c:d", "e\nf", "g\x1b[31m", "h\xff", long, "twice", "twice", "fine", "FINE"} {
		raw("100644", name)
	}
	raw("100600", "mode")
	hash := repo.GitIn(tree.String(), "hash-object", "-w", "-t", "tree", "--stdin", "--literally")
	commit := repo.Git("commit-tree", hash, "-m", "evil")
	repo.Git("update-ref", "refs/heads/main", commit)

	files := snapshot(t, open(t, source.Options{URL: repo.Dir})).Files
	entries, err := files.ReadDir(".")
	require.NoError(t, err)
	usable := 0
	for _, e := range entries {
		require.Regexp(t, `^[!-~]{1,255}$`, e.Name())
		require.NotContains(t, e.Name(), "/")
		require.NotContains(t, []string{".", ".."}, e.Name())
		if e.Type().IsRegular() {
			usable++
			continue
		}
		_, err := files.ReadFile(e.Name())
		require.Error(t, err, e.Name())
	}
	require.Equal(t, 2, usable, "fine and FINE, which collide on no disk of ours")
	refused(t, files, "twice", "appears twice")
	refused(t, files, "a%2Fb", "separator")
	refused(t, files, "mode", "unknown mode")
}

func TestAttack13Submodules(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("fleet.cue", "x")
	commit := repo.Commit("start")
	repo.Git("update-index", "--add", "--cacheinfo", "160000,"+commit+",module")
	repo.Write(".gitmodules", "[submodule \"module\"]\npath = module\nurl = https://169.254.169.254/x\n")
	repo.Git("add", ".gitmodules")
	repo.Git("commit", "-q", "-m", "module")
	refused(t, snapshot(t, open(t, source.Options{URL: repo.Dir})).Files, "module", "submodule")
}

func TestAttack14HistoryRewrite(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("f", "1")
	one := repo.Commit("one")
	repo.Write("f", "2")
	two := repo.Commit("two")
	r := open(t, source.Options{URL: repo.Dir})
	require.Equal(t, two, snapshot(t, r).Commit)
	content := func(s source.Snapshot) string {
		b, err := s.Files.ReadFile("f")
		require.NoError(t, err)
		return string(b)
	}

	t.Run("back to older", func(t *testing.T) {
		repo.Git("reset", "-q", "--hard", one)
		s := snapshot(t, r)
		require.Equal(t, one, s.Commit)
		require.Equal(t, "1", content(s))
		_, err := s.At(two)
		require.ErrorContains(t, err, "not in the branch", "it is in the store and not in the branch")
	})
	t.Run("forced forward", func(t *testing.T) {
		repo.Write("f", "3")
		three := repo.Commit("three")
		s := snapshot(t, r)
		require.Equal(t, three, s.Commit)
		require.Equal(t, "3", content(s))
		_, err := s.At(one)
		require.NoError(t, err)
	})
	t.Run("unrelated history", func(t *testing.T) {
		repo.Git("checkout", "-q", "--orphan", "other")
		repo.Write("f", "4")
		four := repo.Commit("four")
		repo.Git("branch", "-q", "-f", "main", four)
		s := snapshot(t, r)
		require.Equal(t, four, s.Commit)
		_, err := s.At(one)
		require.ErrorContains(t, err, "not in the branch")
	})
	t.Run("deleted branch", func(t *testing.T) {
		repo.Git("branch", "-q", "-D", "main")
		_, err := r.Snapshot(t.Context())
		require.ErrorContains(t, err, `source unavailable: `)
		require.ErrorContains(t, err, `no branch "main"`)
	})
	t.Run("the branch is back", func(t *testing.T) {
		repo.Git("branch", "main", two)
		require.Equal(t, two, snapshot(t, r).Commit)
	})
}

func TestAttack15MassPrune(t *testing.T) {
	t.Run("no commit at all", func(t *testing.T) {
		_, err := open(t, source.Options{URL: gittest.NewBare(t).Dir}).Snapshot(t.Context())
		require.ErrorContains(t, err, "source unavailable")
	})
	t.Run("no repository", func(t *testing.T) {
		_, err := open(t, source.Options{URL: t.TempDir()}).Snapshot(t.Context())
		require.ErrorContains(t, err, "source unavailable")
		require.ErrorContains(t, err, "does not appear to be a git repository")
	})
	t.Run("an empty tree is what the commit says", func(t *testing.T) {
		repo := gittest.New(t)
		commit := repo.Commit("nothing")
		s := snapshot(t, open(t, source.Options{URL: repo.Dir}))
		require.Equal(t, commit, s.Commit)
		entries, err := s.Files.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, entries)
	})
}

// TestCorruptObject: an object that is damaged at the remote is an error; one
// that is damaged here is fetched again.
func TestCorruptObject(t *testing.T) {
	damage := func(t *testing.T, dir string) {
		n := 0
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) == ".idx" || strings.HasSuffix(path, ".rev") {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i := len(b) / 3; i < len(b)-20; i++ {
				b[i] ^= 0xff
			}
			n++
			if err := os.Chmod(path, 0o644); err != nil {
				return err
			}
			return os.WriteFile(path, b, 0o644)
		}))
		require.NotZero(t, n)
	}
	t.Run("here", func(t *testing.T) {
		repo := gittest.New(t)
		repo.Write("f", strings.Repeat("content ", 100))
		commit := repo.Commit("start")
		dir := t.TempDir()
		r := open(t, source.Options{URL: repo.Dir, Dir: dir})
		require.Equal(t, commit, snapshot(t, r).Commit)
		require.NoError(t, r.Close())
		damage(t, filepath.Join(dir, "repository.git", "objects"))

		r = open(t, source.Options{URL: repo.Dir, Dir: dir})
		s := snapshot(t, r)
		b, err := s.Files.ReadFile("f")
		if err != nil { // the commit and tree were whole, the file was not
			s = snapshot(t, r)
			b, err = s.Files.ReadFile("f")
		}
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("content ", 100), string(b))
	})
	t.Run("at the remote", func(t *testing.T) {
		repo := gittest.New(t)
		repo.Write("f", strings.Repeat("content ", 100))
		repo.Commit("start")
		damage(t, filepath.Join(repo.Dir, ".git", "objects"))
		_, err := open(t, source.Options{URL: repo.Dir}).Snapshot(t.Context())
		require.ErrorContains(t, err, "source unavailable")
	})
}

func TestLimits(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("tenants/acme/big.txt", strings.Repeat("x", 2<<20))
	repo.Write("a/b/c/d/e", "deep")
	repo.Write("more", "files")
	repo.Commit("big")
	files := snapshot(t, open(t, source.Options{URL: repo.Dir})).Files
	_, err := files.ReadFile("tenants/acme/big.txt")
	require.ErrorContains(t, err, "tenants/acme/big.txt: has 2097152 bytes, at most 1048576 are allowed")

	few := open(t, source.Options{URL: repo.Dir, Files: git.FileLimits{Count: 2}})
	_, err = few.Snapshot(t.Context())
	require.InDelta(t, 1.5, few.FilesUsed(), 1e-9, "what was refused is counted, too")
	require.ErrorContains(t, err, "at most 2 are allowed; raise --fleet-files, or remove files")
	_, err = open(t, source.Options{URL: repo.Dir, Files: git.FileLimits{Depth: 3}}).Snapshot(t.Context())
	require.ErrorContains(t, err, "nested deeper than 3")
	_, err = open(t, source.Options{URL: repo.Dir, Limits: git.Limits{Object: 1 << 20}}).Snapshot(t.Context())
	require.ErrorContains(t, err, "object of 2097152 bytes")
	_, err = open(t, source.Options{URL: repo.Dir, Limits: git.Limits{Pack: 100}}).Snapshot(t.Context())
	require.ErrorContains(t, err, "larger than 100 bytes")
}

// TestTreeBomb: ten directories that each name the next one ten times are
// 10^10 files and eleven objects.
func TestTreeBomb(t *testing.T) {
	repo := gittest.New(t)
	hash, kind, mode := repo.GitIn("x", "hash-object", "-w", "--stdin"), "blob", "100644"
	for range 10 {
		var tree strings.Builder
		for i := range 10 {
			tree.WriteString(mode + " " + kind + " " + hash + "\t" + string(rune('a'+i)) + "\n")
		}
		hash, kind, mode = repo.GitIn(tree.String(), "mktree"), "tree", "040000"
	}
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", hash, "-m", "bomb"))
	_, err := open(t, source.Options{URL: repo.Dir}).Snapshot(t.Context())
	require.ErrorContains(t, err, "at most 100000 are allowed")
}

func TestAttack26StaleWorkDirs(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("f", "1")
	repo.Commit("one")
	dir := t.TempDir()
	r := open(t, source.Options{URL: repo.Dir, Dir: dir})
	snapshot(t, r)
	_, err := source.Open(t.Context(), source.Options{URL: repo.Dir, Dir: dir})
	require.ErrorContains(t, err, "another process uses it")
	require.NoError(t, r.Close())

	packs := filepath.Join(dir, "repository.git", "objects", "pack")
	stale := []string{
		filepath.Join(dir, "incoming-1"), filepath.Join(packs, "tmp_pack_1"),
		filepath.Join(packs, "pack-"+strings.Repeat("1", 40)+".idx"), filepath.Join(packs, "pack-"+strings.Repeat("2", 40)+".pack"),
	}
	for _, name := range stale {
		require.NoError(t, os.WriteFile(name, []byte("half"), 0o644))
	}
	r = open(t, source.Options{URL: repo.Dir, Dir: dir})
	for _, name := range stale {
		require.NoFileExists(t, name)
	}
	snapshot(t, r)
}
