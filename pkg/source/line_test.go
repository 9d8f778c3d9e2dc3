package source_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestCommitPaths: what a commit changes, both sides of a rename and everything
// that is not a plain file included.
func TestCommitPaths(t *testing.T) {
	repo := gittest.New(t)
	r := open(t, source.Options{URL: repo.Dir})
	paths := func() []string {
		t.Helper()
		line := lineTo(t, r, repo.Git("rev-parse", "main~1"), "")
		require.Len(t, line.Commits, 1)
		require.Empty(t, line.Commits[0].Refused)
		return line.Commits[0].Paths
	}
	repo.Commit("start")
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
	entry := func(hash string) string { return "100644 f\x00" + unhex(t, hash) }
	twice := repo.GitIn(entry(blob)+entry(other), "hash-object", "-w", "-t", "tree", "--stdin", "--literally")
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", twice, "-p", "main", "-m", "twice"))
	require.Equal(t, []string{"f"}, paths())
	again := repo.GitIn(entry(blob)+entry(blob), "hash-object", "-w", "-t", "tree", "--stdin", "--literally")
	repo.Git("update-ref", "refs/heads/main", repo.Git("commit-tree", again, "-p", "main", "-m", "the second only"))
	require.Equal(t, []string{"."}, paths(), "a difference that shows nowhere is one of the directory")
}

func lineTo(t testing.TB, r *source.Repository, recorded, root string) source.Line {
	t.Helper()
	line, err := r.Line(t.Context(), recorded, root)
	require.NoError(t, err)
	return line
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
	first := repo.Commit("first")
	r := open(t, source.Options{URL: repo.Dir})
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
	line := lineTo(t, r, first, "")
	require.Len(t, line.Commits, 2)
	require.Contains(t, line.Commits[0].Refused, "changes more than")
	require.True(t, line.Commits[0].SaysWho(), "nobody knows what it changes")
	require.NotContains(t, line.Layers, bomb, "it holds more than is read")
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
	for recorded, want := range map[string]access.Commit{root: {Hash: other, Paths: []string{"c"}}, other: {Hash: merge, Paths: []string{"b"}}} {
		c := lineTo(t, r, recorded, "").Commits[0]
		require.Equal(t, want.Hash, c.Hash)
		require.Equal(t, want.Paths, c.Paths)
		require.Equal(t, "Ada <ada@example.com>", c.Author)
		signer, v := policy.Verify(c, time.Now())
		require.Nil(t, v)
		require.Equal(t, "ada", signer)
	}
	repo.Git("branch", "-q", "-f", "lone", side)
	lone := open(t, source.Options{URL: repo.Dir, Branch: "lone"})
	_, v := policy.Verify(lineTo(t, lone, root, "").Commits[0], time.Now())
	require.Equal(t, access.CodeUnsigned, v.Code)
}

// TestLine: how a tip follows from what is recorded and from a trust root, on a real
// history: one - two - three(merge of side), two - side, and an unrelated branch.
func TestLine(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("fleet.cue", "1")
	one := repo.Commit("one")
	repo.Write("f", "2")
	two := repo.Commit("two")
	repo.Git("checkout", "-q", "-b", "side")
	repo.Write("tenants/acme/tenant.cue", "s")
	side := repo.Commit("side")
	repo.Git("checkout", "-q", "main")
	repo.Signed("", "merge", "-q", "--no-ff", "-m", "three", "side")
	three := repo.Git("rev-parse", "HEAD")
	repo.Git("checkout", "-q", "--orphan", "other")
	repo.Write("f", "other")
	other := repo.Commit("other")
	repo.Git("checkout", "-q", "main")
	unknown := strings.Repeat("1", 40)

	for _, c := range []struct {
		name           string
		branch, pin    string
		recorded, root string
		want           access.Line // Commits by their names only
		layers         []string
	}{
		{name: "nothing to follow from", want: access.Line{Tip: three}},
		{name: "the tip itself", recorded: three, want: access.Line{Tip: three, Base: three, TipIs: access.Follows}},
		{name: "one commit on", recorded: two, want: access.Line{Tip: three, Base: two, Commits: named(three), TipIs: access.Follows}, layers: []string{three}},
		{name: "two commits on", recorded: one, want: access.Line{Tip: three, Base: one, Commits: named(two, three), TipIs: access.Follows}, layers: []string{three}},
		{name: "from a side branch", recorded: side, want: access.Line{Tip: three, TipIs: access.Apart}},
		{name: "from what is gone", recorded: unknown, want: access.Line{Tip: three, TipIs: access.Gone}},
		{name: "set back", pin: one, recorded: three, want: access.Line{Tip: one, Pinned: true, TipIs: access.Precedes}},
		{name: "another history", branch: "other", recorded: three, want: access.Line{Tip: other, TipIs: access.Gone}},
		{name: "a root", root: one, want: access.Line{Tip: three, Base: one, Commits: named(two, three)}, layers: []string{one, three}},
		{name: "a root elsewhere", root: side, want: access.Line{Tip: three}},
		{name: "a newer root", recorded: one, root: two, want: access.Line{Tip: three, Base: two, Commits: named(three), TipIs: access.Follows, RootIs: access.Follows}, layers: []string{two, three}},
		{name: "an older root", recorded: two, root: one, want: access.Line{Tip: three, Base: two, Commits: named(three), TipIs: access.Follows}, layers: []string{three}},
		{name: "a root apart", recorded: side, root: one, want: access.Line{Tip: three, Base: one, Commits: named(two, three), TipIs: access.Apart, RootIs: access.Precedes}, layers: []string{one, three}},
		{name: "a root of before what is gone", recorded: unknown, root: one, want: access.Line{Tip: three, Base: one, Commits: named(two, three), TipIs: access.Gone, RootIs: access.Gone}, layers: []string{one, three}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, source.Options{URL: repo.Dir, Branch: c.branch, Revision: c.pin})
			line := lineTo(t, r, c.recorded, c.root)
			got := line.Line
			require.Equal(t, cmp.Or(c.branch, "main"), got.Branch)
			got.Branch, got.Commits = "", nil
			for i := range line.Commits {
				got.Commits = append(got.Commits, named(line.Commits[i].Hash)...)
			}
			require.Equal(t, c.want, got)
			require.ElementsMatch(t, c.layers, slices.Collect(maps.Keys(line.Layers)))
			for _, commit := range append([]string{line.Tip, line.Base}, c.layers...) {
				if commit == "" {
					continue
				}
				s, err := line.At(commit)
				require.NoError(t, err)
				require.Equal(t, commit, s.Commit)
			}
			again := lineTo(t, r, c.recorded, c.root)
			require.Equal(t, got.Tip, again.Tip)
			require.Len(t, again.Commits, len(got.Commits))
		})
	}
}

func named(commits ...string) (list []access.Commit) {
	for _, c := range commits {
		list = append(list, access.Commit{Hash: c})
	}
	return list
}

// TestLineGoesOn: what is accepted of a line leaves the rest of it, without reading
// anything again, and what was not accepted is not served from there.
func TestLineGoesOn(t *testing.T) {
	repo := gittest.New(t)
	commits := make([]string, 5)
	for i := range commits {
		repo.Write("fleet.cue", fmt.Sprint(i))
		commits[i] = repo.Commit(fmt.Sprintf("commit %d", i))
	}
	r := open(t, source.Options{URL: repo.Dir})
	line := lineTo(t, r, commits[0], "")
	for i, commit := range commits {
		rest, ok := line.After(commit)
		require.True(t, ok)
		fetched := lineTo(t, open(t, source.Options{URL: repo.Dir}), commit, "")
		require.Equal(t, fetched.Line, rest.Line)
		require.Len(t, rest.Layers, len(commits)-1-i)
		accepted, err := line.At(commit)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("commit %d", i), accepted.Subject)
		for j, other := range commits {
			_, err := accepted.At(other)
			if j <= i {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "not in the branch")
			}
		}
	}
	_, ok := line.After(strings.Repeat("1", 40))
	require.False(t, ok)

	t.Log("what is recorded is still here when the branch was rewritten")
	repo.Git("reset", "-q", "--hard", commits[0])
	repo.Write("fleet.cue", "rewritten")
	rewritten := repo.Commit("rewritten")
	line = lineTo(t, r, commits[4], "")
	require.Equal(t, access.Line{Branch: "main", Tip: rewritten, TipIs: access.Apart}, line.Line)
	held, err := line.At(commits[4])
	require.NoError(t, err)
	b, err := held.Files.ReadFile("fleet.cue")
	require.NoError(t, err)
	require.Equal(t, "4", string(b))
	_, err = held.At(rewritten)
	require.ErrorContains(t, err, "not in the branch")
	_, err = line.Snapshot.At(commits[4])
	require.ErrorContains(t, err, "not in the branch")
}

// TestLineInAClone: a clone shows the same line as the fleet repo does, reads nothing but
// what it has, and changes nothing.
func TestLineInAClone(t *testing.T) {
	repo := gittest.New(t)
	var commits []string
	for i := range 4 {
		repo.Write("fleet.cue", fmt.Sprint(i))
		commits = append(commits, repo.Commit(fmt.Sprint(i)))
	}
	repo.Git("gc", "-q") // packed in part
	repo.Write("fleet.cue", "loose")
	commits = append(commits, repo.Commit("loose"))
	r := open(t, source.Options{URL: repo.Dir})
	clone := source.OpenClone(t.Context(), filepath.Join(repo.Dir, ".git"))
	t.Cleanup(func() { require.NoError(t, clone.Close()) })
	for _, recorded := range commits {
		want := lineTo(t, r, recorded, "")
		got, err := clone.LineTo(commits[4], recorded)
		require.NoError(t, err)
		want.Branch = "" // a clone has many
		require.Equal(t, want.Line, got.Line)
		older, err := got.At(recorded)
		require.NoError(t, err)
		require.Equal(t, recorded, older.Commit)
	}
	back, err := clone.LineTo(commits[1], commits[3])
	require.NoError(t, err)
	require.Equal(t, access.Line{Tip: commits[1], TipIs: access.Precedes}, back.Line)
	_, err = clone.Line(t.Context(), "", "")
	require.ErrorContains(t, err, "a clone is read as it is")

	t.Log("shallow")
	dir := filepath.Join(t.TempDir(), "shallow")
	repo.Git("clone", "-q", "--depth=2", "file://"+repo.Dir, dir)
	shallow := source.OpenClone(t.Context(), filepath.Join(dir, ".git"))
	t.Cleanup(func() { _ = shallow.Close() })
	line, err := shallow.LineTo(commits[4], commits[3])
	require.NoError(t, err)
	require.Len(t, line.Commits, 1)
	_, err = shallow.LineTo(commits[4], commits[0])
	require.ErrorIs(t, err, git.ErrMissing)
	_, err = shallow.LineTo(commits[0], commits[4])
	require.ErrorIs(t, err, git.ErrMissing)
}

// TestLineIsBounded: a history that is longer than is read breaks the line, and what is
// recorded is there all the same.
func TestLineIsBounded(t *testing.T) {
	repo := gittest.New(t)
	history(repo, 12)
	first, fifth := repo.Git("rev-parse", "main~11"), repo.Git("rev-parse", "main~4")
	for _, limits := range []source.LineLimits{{Commits: 10}, {Bytes: 1500}} {
		r := open(t, source.Options{URL: repo.Dir, Line: limits})
		require.Len(t, lineTo(t, r, fifth, "").Commits, 4)
		line := lineTo(t, r, first, "")
		require.Equal(t, access.Line{Branch: "main", Tip: repo.Git("rev-parse", "main"), TipIs: access.TooFar}, line.Line)
		s, err := line.At(first)
		require.NoError(t, err)
		require.Equal(t, first, s.Commit)
		require.Empty(t, lineTo(t, r, "", first).Base, "nor from a root")
		line = lineTo(t, r, first, fifth)
		require.Len(t, line.Commits, 4, "a newer root is a way on")
		require.Contains(t, []access.Relation{access.Follows, access.Apart}, line.RootIs)
	}
}
