package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
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
	fresh := func() *source.Repository { return open(t, source.Options{URL: repo.Dir}) }
	// origins asks twice: who goes on from what was found before, and who begins.
	origins := func() (commits, authors map[string]string) {
		t.Helper()
		all, err := snapshot(t, r).Origins("approvals")
		require.NoError(t, err)
		again, err := snapshot(t, fresh()).Origins("approvals")
		require.NoError(t, err)
		require.Equal(t, again, all)
		commits, authors = map[string]string{}, map[string]string{}
		for _, o := range all {
			require.NotContains(t, commits, o.File)
			commits[o.File], authors[o.File] = o.Commit.Hash, o.Commit.Author
		}
		return commits, authors
	}
	repo.Write("fleet.cue", "0")
	commit("root")
	got, _ := origins()
	require.Empty(t, got)

	repo.Write("approvals/acme/shop/a.cue", "1")
	repo.Write("approvals/acme/shop/b.cue", "1")
	ann := commit("ann")
	repo.Write("fleet.cue", "1")
	commit("root")
	got, _ = origins()
	require.Equal(t, map[string]string{"approvals/acme/shop/a.cue": ann, "approvals/acme/shop/b.cue": ann}, got)
	repo.Write("approvals/acme/shop/b.cue", "2")
	bob := commit("bob")
	got, authors := origins()
	require.Equal(t, map[string]string{"approvals/acme/shop/a.cue": ann, "approvals/acme/shop/b.cue": bob}, got)
	require.Contains(t, authors["approvals/acme/shop/a.cue"], "ann <")

	t.Log("taken out and put back by somebody else, unseen in between")
	repo.Git("rm", "-q", "-r", "approvals")
	commit("ann")
	repo.Write("approvals/acme/shop/a.cue", "1")
	eve := commit("eve")
	got, authors = origins()
	require.Equal(t, map[string]string{"approvals/acme/shop/a.cue": eve}, got)
	require.Contains(t, authors["approvals/acme/shop/a.cue"], "eve <")

	t.Log("merged: who merges answers for it")
	repo.Git("checkout", "-q", "-b", "side")
	repo.Write("approvals/acme/shop/c.cue", "1")
	commit("eve")
	repo.Git("checkout", "-q", "main")
	repo.Git("merge", "-q", "--no-ff", "--no-commit", "side")
	merge := commit("ann")
	got, authors = origins()
	require.Equal(t, map[string]string{"approvals/acme/shop/a.cue": eve, "approvals/acme/shop/c.cue": merge}, got)
	require.Contains(t, authors["approvals/acme/shop/c.cue"], "ann <")

	all, err := snapshot(t, r).Origins("approvals")
	require.NoError(t, err)
	require.Equal(t, []string{"approvals/acme/shop/a.cue", "approvals/acme/shop/c.cue"}, []string{all[0].File, all[1].File}, "oldest first")
	_, err = source.Snapshot{}.Origins("approvals")
	require.Error(t, err)
}

// A file that did not change for longer than is looked back has no origin: nobody
// knows who wrote it.
func TestOriginsAreNotFoundForEver(t *testing.T) {
	commits := tier.Count(100, 1_000, access.MaxOrigins)
	repo := gittest.New(t)
	history(repo, commits+1)
	s := snapshot(t, open(t, source.Options{URL: repo.Dir}))
	before, err := s.At(repo.Git("rev-parse", "main~1"))
	require.NoError(t, err)
	find := source.Snapshot.Origins
	if commits < access.MaxOrigins {
		find = func(s source.Snapshot, dir string) ([]access.Origin, error) { return s.OriginsWithin(dir, commits) }
	}
	all, err := find(s, "approvals")
	require.NoError(t, err)
	require.Empty(t, all)
	all, err = find(before, "approvals")
	require.NoError(t, err)
	require.Len(t, all, 1)
}

// history makes a branch of so many commits, of which the first writes an approval.
func history(repo *gittest.Repo, commits int) {
	var stream strings.Builder
	for i := range commits {
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
}

// BenchmarkOrigins looks back 10,000 commits for who wrote one file.
func BenchmarkOrigins(b *testing.B) {
	repo := gittest.New(b)
	history(repo, 10_000)
	for b.Loop() {
		origins, err := snapshot(b, open(b, source.Options{URL: repo.Dir})).Origins("approvals")
		require.NoError(b, err)
		require.Len(b, origins, 1)
	}
}

// BenchmarkPinned opens a commit that is 10,000 commits old at each new tip.
func BenchmarkPinned(b *testing.B) {
	repo := gittest.New(b)
	history(repo, 10_000)
	first := repo.Git("rev-list", "--max-parents=0", "main")
	r := open(b, source.Options{URL: repo.Dir})
	_, err := snapshot(b, r).At(first)
	require.NoError(b, err)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		repo.Write("new", fmt.Sprint(n))
		repo.Commit(fmt.Sprint(n))
		s := snapshot(b, r)
		b.StartTimer()
		_, err := s.At(first)
		require.NoError(b, err)
	}
}
