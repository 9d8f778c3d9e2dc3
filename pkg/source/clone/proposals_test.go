package clone

import (
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
