package git_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/test/gittest"
)

const token = "CANARY-token"

func remote(t testing.TB, url string, auth git.Auth, limits git.Limits) *git.Remote {
	t.Helper()
	r, err := git.NewRemote(url, auth, limits)
	require.NoError(t, err)
	return r
}

func store(t testing.TB) *git.Store {
	t.Helper()
	s, err := git.OpenStore(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// roundTrip fetches the branch, adds a commit and pushes it by compare-and-swap.
func roundTrip(t *testing.T, r *git.Remote, repo *gittest.Repo) {
	t.Helper()
	refs, err := r.Refs(t.Context())
	require.NoError(t, err)
	tip := refs[git.Branch("main")].Commit
	require.Equal(t, repo.Git("rev-parse", "main"), tip.String())
	s := store(t)
	require.NoError(t, r.Fetch(t.Context(), s, tip, nil, 1))
	c, err := s.Commit(tip)
	require.NoError(t, err)

	objects := git.NewObjects()
	tree := objects.AddTree([]git.Entry{{Name: "new", Mode: git.ModeFile, Hash: objects.AddBlob([]byte("content"))}})
	next := objects.AddCommit(git.NewCommit{Tree: tree, Parent: tip, Name: "A <b>\n", Email: "a@b", Time: time.Unix(1e9, 0), Message: "next\n"})
	require.NotEqual(t, c.TreeHash, tree)
	require.ErrorIs(t, r.Push(t.Context(), git.Branch("main"), git.ZeroHash, next, objects), git.ErrRefMoved)
	require.NoError(t, r.Push(t.Context(), git.Branch("main"), tip, next, objects))
	require.Equal(t, next.String(), repo.Git("rev-parse", "main"))
	require.Equal(t, "content", repo.Git("show", "main:new"))
	require.ErrorIs(t, r.Push(t.Context(), git.Branch("main"), tip, next, objects), git.ErrRefMoved)
	repo.Git("fsck", "--strict", "--no-dangling")

	require.NoError(t, r.Push(t.Context(), git.Branch("new"), git.ZeroHash, next, git.NewObjects()))
}

func example(t testing.TB) *gittest.Repo {
	repo := gittest.New(t)
	repo.Write("old", "1")
	repo.Commit("one")
	repo.Write("old", "2")
	repo.Commit("two")
	return repo
}

func TestLocal(t *testing.T) {
	repo := example(t)
	roundTrip(t, remote(t, repo.Dir, git.Auth{}, git.Limits{}), repo)
	roundTrip(t, remote(t, "file://"+repo.Dir, git.Auth{}, git.Limits{}), gittestReset(repo))
}

func gittestReset(repo *gittest.Repo) *gittest.Repo {
	repo.Git("branch", "-D", "new")
	repo.Git("reset", "-q", "--hard", "main~1")
	return repo
}

// TestLocalEnvironment: hooks of a repository do not get our environment.
func TestLocalEnvironment(t *testing.T) {
	t.Setenv("DAROS_GIT_TOKEN", token)
	repo := gittest.NewBare(t)
	seen := filepath.Join(t.TempDir(), "environment")
	require.NoError(t, os.WriteFile(filepath.Join(repo.Dir, "hooks", "update"), []byte("#!/bin/sh\nenv > "+seen+"\n"), 0o755))
	objects := git.NewObjects()
	commit := objects.AddCommit(git.NewCommit{Tree: objects.AddTree(nil), Name: "a", Email: "a@b", Time: time.Unix(1, 0)})
	require.NoError(t, remote(t, repo.Dir, git.Auth{}, git.Limits{}).Push(t.Context(), git.Branch("main"), git.ZeroHash, commit, objects))
	env, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.NotContains(t, string(env), token)
}

func TestHTTP(t *testing.T) {
	repo := example(t)
	server := httptest.NewServer(repo.Handler(token))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	roundTrip(t, remote(t, server.URL+"/repo", git.Auth{TokenFile: file}, git.Limits{}), repo)

	_, err := remote(t, server.URL+"/repo", git.Auth{Token: "wrong-CANARY"}, git.Limits{}).Refs(t.Context())
	require.ErrorContains(t, err, "access denied")
	require.NotContains(t, err.Error(), "CANARY")
	_, err = remote(t, server.URL+"/repo", git.Auth{TokenFile: file + "-not"}, git.Limits{}).Refs(t.Context())
	require.ErrorContains(t, err, "read Git token")
}

func TestAttack11MaliciousGitServer(t *testing.T) {
	t.Run("redirect to another host takes no credentials there", func(t *testing.T) {
		var asked atomic.Int32
		thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
		defer thief.Close()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL+r.URL.String(), http.StatusFound)
		}))
		defer server.Close()
		_, err := remote(t, server.URL+"/repo", git.Auth{Token: token}, git.Limits{}).Refs(t.Context())
		require.ErrorContains(t, err, "redirects to another host")
		require.NotContains(t, err.Error(), token)
		require.Zero(t, asked.Load())
	})
	t.Run("silent", func(t *testing.T) {
		stop := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}))
		defer server.Close()
		defer close(stop)
		_, err := remote(t, server.URL+"/repo", git.Auth{}, git.Limits{Timeout: 200 * time.Millisecond}).Refs(t.Context())
		require.ErrorContains(t, err, "no answer within 200ms")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = remote(t, server.URL+"/repo", git.Auth{}, git.Limits{}).Refs(ctx)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("endless list of refs", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			fmt.Fprint(w, "001e# service=git-upload-pack\n0000")
			for i := 0; r.Context().Err() == nil; i++ {
				line := fmt.Sprintf("%040d refs/heads/b%d\n", i+1, i)
				if i == 0 {
					line = fmt.Sprintf("%040d refs/heads/b\x00agent=evil\n", 1)
				}
				if _, err := fmt.Fprintf(w, "%04x%s", len(line)+4, line); err != nil {
					return
				}
			}
		}))
		defer server.Close()
		_, err := remote(t, server.URL+"/repo", git.Auth{}, git.Limits{Pack: 1 << 20, Timeout: time.Minute}).Refs(t.Context())
		require.Error(t, err)
		require.NotContains(t, err.Error(), "no answer", "the cap ends it and not the clock")
	})
	t.Run("garbage and terminal sequences", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "\x1b[31mowned\x1b[0m\n\xff\xfe")
		}))
		defer server.Close()
		_, err := remote(t, server.URL+"/repo", git.Auth{}, git.Limits{}).Refs(t.Context())
		require.Error(t, err)
		require.NotContains(t, err.Error(), "\x1b")
	})
	t.Run("a small pack that grows", func(t *testing.T) {
		repo := gittest.New(t)
		repo.Write("zeros", string(make([]byte, 8<<20)))
		commit, _ := git.ParseHash(repo.Commit("zeros"))
		err := remote(t, repo.Dir, git.Auth{}, git.Limits{Object: 1 << 20}).Fetch(t.Context(), store(t), commit, nil, 0)
		require.ErrorContains(t, err, "at most 1048576 are allowed")
	})
}

// TestFetchEverythingReplacesPacks: a store does not fall apart into ever more
// packs, and what it held stays readable.
func TestFetchEverythingReplacesPacks(t *testing.T) {
	repo := example(t)
	r, s := remote(t, repo.Dir, git.Auth{}, git.Limits{}), store(t)
	var tip git.Hash
	var have []git.Hash
	for i := range 5 {
		repo.Write("more", fmt.Sprint(i))
		tip, _ = git.ParseHash(repo.Commit("more"))
		require.NoError(t, r.Fetch(t.Context(), s, tip, have, 0))
		have = []git.Hash{tip}
		require.Equal(t, i+1, s.Packs())
	}
	c, err := s.Commit(tip)
	require.NoError(t, err)
	files, err := s.Files(c.TreeHash, git.FileLimits{})
	require.NoError(t, err)
	repo.Write("more", "last")
	last, _ := git.ParseHash(repo.Commit("last"))
	require.NoError(t, r.Fetch(t.Context(), s, last, nil, 0))
	require.Equal(t, 1, s.Packs())
	b, err := files.ReadFile("more")
	require.NoError(t, err)
	require.Equal(t, "4", string(b))
	require.True(t, s.Has(tip) && s.Has(last))
}
