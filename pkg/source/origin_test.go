package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/git/gittest"
	"github.com/d-aros/d-aros/pkg/source"
)

// Who wrote a file is who committed it as it is: not who wrote it before, nor who
// wrote it on a branch that another has merged.
func TestOrigins(t *testing.T) {
	repo := gittest.New(t)
	r := open(t, source.Options{URL: repo.Dir})
	commit := func(name string) string {
		repo.Git("add", "-A")
		repo.Git("commit", "-q", "--author", name+" <"+name+"@example.com>", "-m", "by "+name)
		return repo.Git("rev-parse", "HEAD")
	}
	origins := func(since string, most int) (commits map[string]string, authors map[string]string, reached bool) {
		t.Helper()
		all, reached, err := r.Origins(snapshot(t, r).Commit, "approvals", since, most)
		require.NoError(t, err)
		commits, authors = map[string]string{}, map[string]string{}
		for _, o := range all {
			require.NotContains(t, commits, o.File)
			commits[o.File], authors[o.File] = o.Commit, o.Author
		}
		return commits, authors, reached
	}
	repo.Write("fleet.cue", "0")
	root := commit("root")
	got, _, reached := origins("", 100)
	require.Empty(t, got)
	require.False(t, reached)

	repo.Write("approvals/acme/shop/a.cue", "1")
	repo.Write("approvals/acme/shop/b.cue", "1")
	ann := commit("ann")
	repo.Write("fleet.cue", "1")
	commit("root")
	repo.Write("approvals/acme/shop/b.cue", "2")
	bob := commit("bob")
	got, authors, reached := origins(root, 100)
	require.Equal(t, map[string]string{"approvals/acme/shop/a.cue": ann, "approvals/acme/shop/b.cue": bob}, got)
	require.Contains(t, authors["approvals/acme/shop/a.cue"], "ann <")
	require.True(t, reached)

	t.Log("since a commit, only what is newer")
	got, _, reached = origins(ann, 100)
	require.Equal(t, map[string]string{"approvals/acme/shop/b.cue": bob}, got)
	require.True(t, reached)

	t.Log("not further back than asked for")
	got, _, reached = origins(root, 1)
	require.Equal(t, map[string]string{"approvals/acme/shop/b.cue": bob}, got)
	require.False(t, reached)

	t.Log("taken out and put back by somebody else, unseen in between")
	repo.Git("rm", "-q", "-r", "approvals")
	commit("ann")
	repo.Write("approvals/acme/shop/a.cue", "1")
	eve := commit("eve")
	got, authors, _ = origins(bob, 100)
	require.Equal(t, map[string]string{"approvals/acme/shop/a.cue": eve}, got)
	require.Contains(t, authors["approvals/acme/shop/a.cue"], "eve <")

	t.Log("merged: who merges answers for it")
	repo.Git("checkout", "-q", "-b", "side")
	repo.Write("approvals/acme/shop/c.cue", "1")
	commit("eve")
	repo.Git("checkout", "-q", "main")
	repo.Git("merge", "-q", "--no-ff", "--no-commit", "side")
	merge := commit("ann")
	got, authors, _ = origins(eve, 100)
	require.Equal(t, map[string]string{"approvals/acme/shop/c.cue": merge}, got)
	require.Contains(t, authors["approvals/acme/shop/c.cue"], "ann <")

	all, _, err := r.Origins(merge, "approvals", root, 100)
	require.NoError(t, err)
	require.Equal(t, []string{"approvals/acme/shop/a.cue", "approvals/acme/shop/c.cue"}, []string{all[0].File, all[1].File}, "oldest first")

	_, _, err = r.Origins("0000000000000000000000000000000000000001", "approvals", "", 1)
	require.ErrorIs(t, err, source.ErrGone)
}

// BenchmarkOrigins looks back 10,000 commits for who wrote one file.
func BenchmarkOrigins(b *testing.B) {
	repo := gittest.New(b)
	var stream strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&stream, "commit refs/heads/main\nmark :%d\ncommitter Ada <ada@example.com> %d +0000\ndata 1\nx\n", i+1, 1_700_000_000+i)
		if i > 0 {
			fmt.Fprintf(&stream, "from :%d\n", i)
		}
		name := "tenants/acme/apps/shop/app.cue"
		if i == 0 {
			name = "approvals/acme/shop/a.cue"
		}
		text := fmt.Sprintf("package fleet // %d\n", i)
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	repo.GitIn(stream.String(), "fast-import", "--quiet")
	r, err := source.Open(b.Context(), source.Options{URL: repo.Dir, Dir: b.TempDir()})
	require.NoError(b, err)
	defer r.Close()
	snap, err := r.Snapshot(b.Context())
	require.NoError(b, err)
	for b.Loop() {
		origins, _, err := r.Origins(snap.Commit, "approvals", "", 10_000)
		require.NoError(b, err)
		require.Len(b, origins, 1)
	}
}
