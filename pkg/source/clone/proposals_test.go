package clone

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/gittest"
)

// TestProposals: branches and fetched pull requests are proposals; tags and what git would compute are none.
func TestProposals(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("fleet.cue", "package fleet\n")
	first := repo.Commit("first")
	repo.Git("branch", "topic")
	repo.Git("branch", first)
	repo.Git("tag", "topic")
	repo.Git("update-ref", "refs/pull/7/head", first)
	repo.Git("update-ref", "refs/remotes/origin/topic", first)
	repo.Git("update-ref", "refs/remotes/origin/theirs", first)
	repo.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/theirs")
	repo.Git("update-ref", "refs/pull/8/head", repo.Git("rev-parse", "HEAD^{tree}"))
	w, err := Open(t.Context(), repo.Dir)
	require.NoError(t, err)
	defer w.Close()

	all, err := w.Proposals(t.Context(), 100)
	require.NoError(t, err)
	names := map[string]string{}
	for _, p := range all {
		require.Equal(t, first, p.Commit)
		require.Equal(t, first, repo.Git("rev-parse", p.Name+"^{commit}"), "git resolves the name: %s", p.Name)
		names[p.Ref] = p.Name
	}
	require.Equal(t, map[string]string{
		"refs/heads/main": "main", "refs/heads/topic": "heads/topic", "refs/heads/" + first: "refs/heads/" + first,
		"refs/remotes/origin/theirs": "origin/theirs", "refs/pull/7/head": "pull/7/head",
	}, names)
	few, err := w.Proposals(t.Context(), 2)
	require.NoError(t, err)
	require.LessOrEqual(t, len(few), 2)

	for _, name := range []string{"main", "topic", "heads/topic", "origin/topic", "origin/theirs", "pull/7/head", "refs/pull/7/head"} {
		p, err := w.Proposal(t.Context(), name)
		require.NoError(t, err, name)
		require.Equal(t, first, p.Commit)
	}
	for _, name := range []string{
		"", "HEAD", "@", "-n", "--all", "main~0", "main^{commit}", ":/first", "main@{0}", "refs/tags/topic", "tags/topic", "pull/8/head", "origin/HEAD", "pull", "refs/heads",
		"main..topic", "*", "refs/heads/*", "to?ic", strings.Repeat("a/", 200) + "a", "a b", "a\x00b", "\x1b[1m", first[:10], "../../etc/passwd",
	} {
		_, err := w.Proposal(t.Context(), name)
		require.Error(t, err, "%q", name)
	}
}

// TestTouched: what a merge would change since the head left the branch, renamed files with both names, as paths of the fleet repo.
func TestTouched(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("fleet/fleet.cue", "package fleet\n")
	repo.Write("fleet/tenants/acme/apps/a/app.cue", "package fleet\n\napplication: name: \"a\"\n")
	repo.Commit("first")
	repo.Git("checkout", "-q", "-b", "topic")
	repo.Git("mv", "fleet/tenants/acme", "fleet/tenants/globex")
	repo.Write("README.md", "")
	repo.Write("fleet/tenants/acme/\u00fc b.txt", "")
	topic := repo.Commit("second")
	repo.Git("checkout", "-q", "main")
	repo.Write("fleet/more.cue", "package fleet\n")
	repo.Commit("third")
	w, err := Open(t.Context(), filepath.Join(repo.Dir, "fleet"))
	require.NoError(t, err)
	defer w.Close()
	files, err := w.Touched(t.Context(), "main", topic)
	require.NoError(t, err)
	require.Equal(t, []string{"tenants/acme/apps/a/app.cue", "tenants/acme/\u00fc b.txt", "tenants/globex/apps/a/app.cue"}, files)
	files, err = w.Touched(t.Context(), "topic", topic)
	require.NoError(t, err)
	require.Empty(t, files)
	_, err = w.Touched(t.Context(), "main", strings.Repeat("0", 40))
	require.Error(t, err)
}
