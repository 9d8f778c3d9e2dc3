package git_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestFetchSince: what a commit that is had leads to does not arrive again, and what
// follows no commit that is had arrives whole.
func TestFetchSince(t *testing.T) {
	repo := gittest.New(t)
	for i := range 200 {
		repo.Write(fmt.Sprintf("dir%d/file%d", i/10, i), fmt.Sprint(i))
	}
	commits := []string{repo.Commit("first")}
	for i := range 40 {
		repo.Write("dir3/file33", fmt.Sprintf("changed %d", i))
		commits = append(commits, repo.Commit("next"))
	}
	server := httptest.NewServer(repo.Handler(""))
	defer server.Close()
	hash := func(s string) git.Hash {
		h, ok := git.ParseHash(s)
		require.True(t, ok)
		return h
	}
	for _, url := range []string{repo.Dir, server.URL + "/repo"} {
		remote, err := git.NewRemote(url, git.Auth{}, git.Limits{})
		require.NoError(t, err)
		fetch := func(have git.Hash, depth int) *git.Store {
			store, checked := git.NewMemoryStore(), 0
			require.NoError(t, remote.FetchSince(t.Context(), store, hash(commits[40]), have, depth, func(git.Signed) error {
				checked++
				return nil
			}))
			require.Equal(t, 1, checked)
			return store
		}
		require.Equal(t, 4, fetch(hash(commits[39]), 10).Held(), "a commit, two trees and a file")
		require.Equal(t, 5*4, fetch(hash(commits[35]), 10).Held())
		all := 1 + 1 + 20 + 200
		for _, have := range []git.Hash{hash(commits[0]), git.BlobHash([]byte("unknown to the server"))} {
			store := fetch(have, 10)
			require.Equal(t, all+9*4, store.Held())
			files, err := store.Files(mustTree(t, store, hash(commits[40])), git.FileLimits{})
			require.NoError(t, err)
			require.Equal(t, 200, files.Count())
		}
	}
}

func mustTree(t *testing.T, store *git.Store, commit git.Hash) git.Hash {
	c, err := store.Commit(commit)
	require.NoError(t, err)
	return c.TreeHash
}
