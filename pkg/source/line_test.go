package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git/gittest"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// TestCommitPaths: what a commit changes, both sides of a rename and everything
// that is not a plain file included.
func TestCommitPaths(t *testing.T) {
	repo := gittest.New(t)
	r := open(t, source.Options{URL: repo.Dir})
	paths := func() []string {
		t.Helper()
		c, err := r.Commit(snapshot(t, r).Commit)
		require.NoError(t, err)
		require.Empty(t, c.Refused)
		return c.Paths
	}
	repo.Write("a/one", "1")
	repo.Write("a/two", "2")
	repo.Write("b", "3")
	repo.Commit("first")
	require.Equal(t, []string{"a/one", "a/two", "b"}, paths())
	repo.Commit("nothing")
	require.Empty(t, paths())
	repo.Write("a/two", "22")
	repo.Git("mv", "a/one", "c")
	repo.Commit("rename")
	require.Equal(t, []string{"a/one", "a/two", "c"}, paths())
	require.NoError(t, os.Chmod(filepath.Join(repo.Dir, "c"), 0o755))
	repo.Commit("mode")
	require.Equal(t, []string{"c"}, paths())
	require.NoError(t, os.Remove(filepath.Join(repo.Dir, "c")))
	require.NoError(t, os.Symlink("b", filepath.Join(repo.Dir, "c")))
	repo.Commit("a link in the place of a file")
	require.Equal(t, []string{"c"}, paths())
	repo.Git("rm", "-q", "-r", "a")
	repo.Write("a", "a file in the place of a directory")
	repo.Commit("file")
	require.Equal(t, []string{"a", "a/two"}, paths())

	t.Log("a directory without files, which only low-level commands make")
	empty := repo.GitIn("", "mktree")
	tree := repo.GitIn("040000 tree "+empty+"\ttenants\n", "mktree")
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", tree, "-p", "main", "-m", "empty"))
	require.Equal(t, []string{"a", "b", "c", "tenants"}, paths())

	t.Log("a name twice: what it stood for changes, although the first entry is the same")
	blob, other := repo.GitIn("x", "hash-object", "-w", "--stdin"), repo.GitIn("y", "hash-object", "-w", "--stdin")
	once := repo.GitIn("100644 blob "+blob+"\tf\n", "mktree")
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", once, "-m", "once"))
	paths()
	entry := func(hash string) string { return "100644 f\x00" + unhex(t, hash) }
	twice := repo.GitIn(entry(blob)+entry(other), "hash-object", "-w", "-t", "tree", "--stdin", "--literally")
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", twice, "-p", "main", "-m", "twice"))
	require.Equal(t, []string{"f"}, paths())
	again := repo.GitIn(entry(blob)+entry(blob), "hash-object", "-w", "-t", "tree", "--stdin", "--literally")
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", again, "-p", "main", "-m", "the second only"))
	require.Equal(t, []string{"."}, paths(), "a difference that shows nowhere is one of the directory")
}

func unhex(t *testing.T, s string) string {
	var b []byte
	_, err := fmt.Sscanf(s, "%x", &b)
	require.NoError(t, err)
	return string(b)
}

// TestCommitPathsAreBounded: a tree that is small and means much.
func TestCommitPathsAreBounded(t *testing.T) {
	repo := gittest.New(t)
	repo.Commit("first")
	r := open(t, source.Options{URL: repo.Dir})
	snapshot(t, r)
	hash, kind, mode := repo.GitIn("x", "hash-object", "-w", "--stdin"), "blob", "100644"
	for range 10 {
		var tree strings.Builder
		for i := range 10 {
			tree.WriteString(mode + " " + kind + " " + hash + "\t" + string(rune('a'+i)) + "\n")
		}
		hash, kind, mode = repo.GitIn(tree.String(), "mktree"), "tree", "040000"
	}
	bomb := repo.Git("commit-tree", hash, "-p", "main", "-m", "bomb")
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", repo.Git("rev-parse", "main^{tree}"), "-p", bomb, "-m", "defused"))
	snapshot(t, r)
	c, err := r.Commit(bomb)
	require.NoError(t, err)
	require.Contains(t, c.Refused, "changes more than")
}

// TestCommitSignature: what the real git signs, the real verifier accepts, with
// merges and messages of all sorts.
func TestCommitSignature(t *testing.T) {
	repo := gittest.New(t)
	key, public := repo.Key("ada")
	policy := access.New(&model.Platform{Access: &model.Access{Enforce: model.EnforceSigned, Admins: []string{"ada"},
		Principals: []model.Principal{{Name: "ada", SSH: []string{public}}}}}, nil)
	repo.Write("a", "1")
	root := repo.CommitSigned(key, "subject\n\ngpgsig -----BEGIN SSH SIGNATURE-----\n x\n\nBye: now")
	repo.Git("checkout", "-q", "-b", "side")
	repo.Write("b", "1")
	side := repo.Commit("unsigned")
	repo.Git("tag", "-m", "t", "v1")
	repo.Git("checkout", "-q", "main")
	repo.Write("c", "1")
	other := repo.CommitSigned(key, "")
	merge := func() string {
		repo.Signed(key, "merge", "-q", "--no-ff", "-m", "merge", "v1")
		return repo.Git("rev-parse", "HEAD")
	}()
	r := open(t, source.Options{URL: repo.Dir})
	require.Equal(t, merge, snapshot(t, r).Commit)
	for commit, want := range map[string][]string{root: {"a"}, other: {"c"}, merge: {"b"}} {
		c, err := r.Commit(commit)
		require.NoError(t, err)
		require.Equal(t, want, c.Paths)
		signer, v := policy.Verify(access.Commit(c), time.Now())
		require.Nil(t, v)
		require.Equal(t, "ada", signer)
	}
	c, err := r.Commit(side)
	require.NoError(t, err)
	_, v := policy.Verify(access.Commit(c), time.Now())
	require.Equal(t, access.CodeUnsigned, v.Code)

	line, stop, err := r.Line(merge, root)
	require.NoError(t, err)
	require.Equal(t, root, stop)
	require.Equal(t, []string{other, merge}, line, "the side branch is no part of the line")
	_, stop, err = r.Line(merge, root, other, merge)
	require.NoError(t, err)
	require.Equal(t, merge, stop, "the nearest counts")
	for _, stops := range [][]string{{side}, nil, {""}, {strings.Repeat("0", 40)}} {
		_, _, err = r.Line(merge, stops...)
		require.ErrorIs(t, err, source.ErrNotOnLine)
	}
	_, _, err = r.Line(strings.Repeat("1", 40), root)
	require.ErrorIs(t, err, source.ErrGone)
	require.Equal(t, merge, snapshot(t, r).Commit, "asking for the unknown does no damage")
}

// TestAccept: what was not accepted is not served.
func TestAccept(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("f", "1")
	one := repo.Commit("one")
	repo.Write("f", "2")
	two := repo.Commit("two\n\nConfirm-Removal: 3")
	repo.Write("f", "3")
	three := repo.Commit("three")
	r := open(t, source.Options{URL: repo.Dir})
	require.Equal(t, three, snapshot(t, r).Commit)

	s, err := r.Accept(two)
	require.NoError(t, err)
	require.Equal(t, two, s.Commit)
	require.Equal(t, 3, s.ConfirmRemoval)
	_, err = r.At(three)
	require.ErrorContains(t, err, "not in the branch")
	for _, c := range []string{one, two} {
		_, err = r.At(c)
		require.NoError(t, err)
	}
	require.Equal(t, three, snapshot(t, r).Commit)
	_, err = r.At(three)
	require.Error(t, err, "the same snapshot again changes nothing")
	_, err = r.Accept(three)
	require.NoError(t, err)
	_, err = r.At(three)
	require.NoError(t, err)

	repo.Git("reset", "-q", "--hard", one)
	repo.Write("f", "4")
	four := repo.Commit("four")
	require.Equal(t, four, snapshot(t, r).Commit)
	s, err = r.Accept(three)
	require.NoError(t, err, "rewritten history is still here")
	b, err := s.Files.ReadFile("f")
	require.NoError(t, err)
	require.Equal(t, "3", string(b))
	_, err = r.Accept(strings.Repeat("1", 40))
	require.ErrorIs(t, err, source.ErrGone)
	_, err = r.At(one)
	require.Error(t, err, "nothing is accepted, nothing is served")
	require.Equal(t, four, snapshot(t, r).Commit)
}
