package clone_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/test/gittest"
)

// withOrigin is a clone with an origin that has its branch.
func withOrigin(t *testing.T) (origin, repo *gittest.Repo, w *clone.Tree, commits []string) {
	origin = gittest.NewBare(t)
	repo, w, commits = fleet(t)
	repo.Git("remote", "add", "origin", origin.Dir)
	repo.Git("push", "--quiet", "origin", "HEAD:refs/heads/main")
	return origin, repo, w, commits
}

// refuseAll lets an origin refuse every push in words of its own.
func refuseAll(t *testing.T, origin *gittest.Repo, words string) {
	hook := filepath.Join(origin.Dir, "hooks", "pre-receive")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\necho '"+words+"' >&2\nexit 1\n"), 0o755))
}

func oneFile(content string) []clone.Change {
	return []clone.Change{{Name: "new.cue", After: []byte(content)}}
}

// TestSaveAndPush: a saved branch reaches the origin as it is in the clone, and no other branch there moves: of a name that the origin
// has the saver gets another. What the origin refuses stays saved, with its words.
func TestSaveAndPush(t *testing.T) {
	asAda(t)
	origin, repo, w, commits := withOrigin(t)
	main := origin.Git("rev-parse", "main")
	repo.Git("push", "--quiet", "origin", commits[0]+":refs/heads/ui/same") // of somebody else
	for _, want := range []string{"ui/same-2", "ui/same-3"} {
		saved, err := w.SaveAndPush(t.Context(), commits[1], oneFile(want), "push it", proposal(t, "same"))
		require.NoError(t, err)
		require.Equal(t, clone.Saved{Branch: want, Commit: repo.Git("rev-parse", want), Pushed: true}, saved)
		require.Equal(t, saved.Commit, origin.Git("rev-parse", want))
	}
	require.Equal(t, commits[0], origin.Git("rev-parse", "ui/same"))
	require.Empty(t, repo.Git("for-each-ref", "refs/heads/ui/same"), "the name of somebody else stays free here")

	refuseAll(t, origin, "main is frozen until Monday")
	saved, err := w.SaveAndPush(t.Context(), commits[1], oneFile("refused"), "push it", proposal(t, "refused"))
	require.NoError(t, err)
	require.False(t, saved.Pushed)
	require.Contains(t, saved.Refused, "main is frozen until Monday")
	require.Equal(t, "refused", repo.Git("show", "ui/refused:new.cue"))
	require.Equal(t, main, origin.Git("rev-parse", "main"))
	require.Empty(t, origin.Git("for-each-ref", "refs/heads/ui/refused"))
}

// TestPropose: a change of somebody without a clone becomes a branch of the origin, with them as its author. The clone stays as it was,
// byte for byte, and so does every other branch of the origin.
func TestPropose(t *testing.T) {
	asAda(t)
	origin, repo, w, commits := withOrigin(t)
	const token = "tok-5e39a7c1"
	server := httptest.NewServer(origin.Handler(token))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	remote, err := clone.NewTarget(server.URL+"/repo", file, "", "")
	require.NoError(t, err)
	bob := clone.Author{Name: "Bob <root@x>\ncommitter x", Email: "bob@example.com", Time: time.Unix(1_800_000_000, 0)}
	was := state(t, repo)
	before, err := repo.Command("show", "HEAD:fleet.cue").Output()
	require.NoError(t, err)
	changes := append(oneFile("one"), clone.Change{Name: "fleet.cue", Before: before, After: []byte("package fleet // two")}, clone.Change{Name: "a/b/c.cue", After: []byte("three")})
	for _, want := range []string{"ui/bob-example-com/same", "ui/bob-example-com/same-2"} {
		saved, err := w.Propose(t.Context(), commits[1], changes, bob, "propose it\n\nBecause.", proposal(t, "same").Of("bob@example.com"), remote)
		require.NoError(t, err)
		require.Equal(t, clone.Saved{Branch: want, Commit: origin.Git("rev-parse", want), Pushed: true}, saved)
		require.Equal(t, commits[1], origin.Git("rev-parse", want+"^"))
		require.Equal(t, "a/b/c.cue\nfleet.cue\nnew.cue", origin.Git("diff", "--name-only", commits[1], want))
		require.Equal(t, "package fleet // two", origin.Git("show", want+":fleet.cue"))
		require.Equal(t, "bob@example.com 1800000000 propose it", origin.Git("log", "-1", "--format=%ae %at %s", want))
		require.NotContains(t, origin.Git("cat-file", "commit", want), "\ncommitter x")
		origin.Git("fsck", "--strict", "--no-dangling")
	}
	require.Equal(t, was, state(t, repo))

	refuseAll(t, origin, "only on weekdays")
	_, err = w.Propose(t.Context(), commits[1], oneFile("x"), bob, "x", proposal(t, "refused").Of("bob"), remote)
	refused := (*clone.RefusedError)(nil)
	require.True(t, errors.As(err, &refused), "%v", err)
	require.Contains(t, err.Error(), "only on weekdays")

	require.NoError(t, os.WriteFile(file, []byte("other-9d21\n"), 0o600))
	_, err = w.Propose(t.Context(), commits[1], oneFile("x"), bob, "x", proposal(t, "denied").Of("bob"), remote)
	require.ErrorContains(t, err, "access denied; check the credentials")
	require.NotContains(t, err.Error(), "9d21")
	require.Equal(t, commits[1], origin.Git("rev-parse", "main"))
	require.Equal(t, "refs/heads/main\nrefs/heads/ui/bob-example-com/same\nrefs/heads/ui/bob-example-com/same-2", origin.Git("for-each-ref", "--format=%(refname)"))
}

// TestProposersOfOneName: each gets a branch of his own, whole, also at the same moment.
func TestProposersOfOneName(t *testing.T) {
	asAda(t)
	origin, _, w, commits := withOrigin(t)
	remote, err := clone.NewTarget(origin.Dir, "", "", "")
	require.NoError(t, err)
	saved := make([]clone.Saved, 4)
	var savers sync.WaitGroup
	for i := range saved {
		savers.Go(func() {
			var err error
			saved[i], err = w.Propose(t.Context(), commits[1], oneFile(strconv.Itoa(i)), clone.Author{Name: "x", Email: "x"}, "x", proposal(t, "same").Of("bob"), remote)
			require.NoError(t, err)
		})
	}
	savers.Wait()
	branches := map[string]bool{}
	for i, s := range saved {
		require.Equal(t, strconv.Itoa(i), origin.Git("show", s.Branch+":new.cue"))
		branches[s.Branch] = true
	}
	require.Len(t, branches, len(saved))
}

// TestDraftBranchOfAPersonIsBelowUI: whoever has signed in, and however, their branch names nothing outside of refs/heads/ui/, and
// nothing of somebody whose login has no letter in common.
func TestDraftBranchOfAPersonIsBelowUI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		login := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "../main", "..", "x:refs/heads/main", "ada/../../main", "é", "李", "-", "refs/heads/main"})).Draw(t, "login")
		slug := rapid.StringMatching(`[a-z0-9][a-z0-9]{0,9}(/[a-z0-9]{1,4})?`).Draw(t, "slug")
		p := proposal(t, slug).Of(login)
		require.NoError(t, clone.CheckBranch(p.Branch()))
		parts := strings.Split(p.Branch(), "/")
		require.Len(t, parts, 3)
		require.Equal(t, "ui", parts[0])
		_, err := clone.ParseDraftBranch(parts[1] + "/" + parts[2])
		require.NoError(t, err)
	})
}
