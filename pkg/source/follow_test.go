package source_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/gittest"
)

func TestRevision(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("f", "1")
	one := repo.Commit("one")
	repo.Git("tag", "-a", "v1", "-m", "v1")
	repo.Write("f", "2")
	two := repo.Commit("two")
	repo.Git("checkout", "-q", "-b", "team/side", one)
	repo.Write("f", "side")
	side := repo.Commit("side")
	repo.Git("checkout", "-q", "main")

	for revision, want := range map[string]string{"": two, "main": two, "v1": one, "team/side": side, one: one, two: two} {
		s := snapshot(t, open(t, source.Options{URL: repo.Dir, Revision: revision}))
		require.Equal(t, want, s.Commit, revision)
	}
	for revision, why := range map[string]string{"nothing": "no branch or tag", side: "not in the branch"} {
		_, err := open(t, source.Options{URL: repo.Dir, Revision: revision}).Snapshot(t.Context())
		require.ErrorContains(t, err, why)
	}
	repo.Git("tag", "main", one)
	_, err := open(t, source.Options{URL: repo.Dir, Revision: "main"}).Snapshot(t.Context())
	require.ErrorContains(t, err, "both a branch and a tag")
	require.Equal(t, two, snapshot(t, open(t, source.Options{URL: repo.Dir})).Commit, "a tag cannot stand in for the branch")
}

func TestAt(t *testing.T) {
	repo := gittest.New(t)
	var commits []string
	for i := range 30 {
		repo.Write("f", fmt.Sprint(i))
		commits = append(commits, repo.Commit(fmt.Sprint(i)))
	}
	repo.Git("checkout", "-q", "-b", "side", commits[10])
	repo.Write("g", "merged")
	merged := repo.Commit("merged")
	repo.Git("checkout", "-q", "main")
	repo.Git("merge", "-q", "--no-edit", "side")
	repo.Git("checkout", "-q", "-b", "other", commits[20])
	repo.Write("f", "not reviewed")
	other := repo.Commit("other")
	repo.Git("checkout", "-q", "main")

	r := open(t, source.Options{URL: repo.Dir})
	_, err := source.Snapshot{}.At(commits[0])
	require.ErrorContains(t, err, "no snapshot yet")
	check := func() {
		s := snapshot(t, r)
		for i, c := range commits {
			older, err := s.At(c)
			require.NoError(t, err)
			require.Equal(t, c, older.Commit)
			b, err := fs.ReadFile(older.Files, "f")
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(i), string(b))
		}
		_, err = s.At(merged)
		require.NoError(t, err)
	}
	check()
	for _, bad := range []string{other, "", "HEAD", "main", commits[0][:12], commits[0] + "0", "0000000000000000000000000000000000000000"} {
		_, err := snapshot(t, r).At(bad)
		require.Error(t, err, bad)
	}
	// After a few more commits the walk goes on from where it was.
	for i := range 3 {
		repo.Write("later", fmt.Sprint(i))
		commits = append(commits[:len(commits):len(commits)], repo.Commit("later"))
		commits = commits[:len(commits)-1]
		snapshot(t, r)
	}
	check()
}

func TestChanges(t *testing.T) {
	require.Nil(t, open(t, source.Options{URL: "https://example.com/fleet.git"}).Changes(t.Context()))

	for name, repo := range map[string]*gittest.Repo{"work tree": gittest.New(t), "bare": gittest.NewBare(t)} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			writer := gittest.New(t)
			push := func(branch string) {
				writer.Write("f", branch+time.Now().String())
				writer.Commit("x")
				writer.Git("push", "-q", repo.Dir, "HEAD:refs/heads/"+branch)
			}
			push("main")
			follow := func(branch string) <-chan struct{} {
				changes := open(t, source.Options{URL: repo.Dir, Branch: branch}).Changes(ctx)
				require.NotNil(t, changes)
				return changes
			}
			told := func(changes <-chan struct{}, what string) {
				t.Helper()
				select {
				case <-changes:
				case <-time.After(2 * time.Minute):
					t.Fatal("no hint after ", what)
				}
			}
			changes := follow("main")
			push("main")
			told(changes, "a push")
			repo.Git("pack-refs", "--all")
			told(changes, "packing")
			// The status branch moves without a hint to those who follow main. Both start to follow when all of the above
			// is over, and by the second hint to one of them the other would have got its first.
			changes, status := follow("main"), follow("status")
			for range 2 {
				push("status")
				told(status, "a push to the status branch")
			}
			require.Empty(t, changes, "a hint for the status branch")
			push("main")
			told(changes, "another push")
		})
	}
}

// TestSnapshotWhileOthersPush: every snapshot is one of the commits, complete.
func TestSnapshotWhileOthersPush(t *testing.T) {
	repo := gittest.NewBare(t)
	writer := gittest.New(t)
	writer.Write("a", "0")
	writer.Write("b", "0")
	writer.Commit("0")
	writer.Git("push", "-q", repo.Dir, "HEAD:main")
	r := open(t, source.Options{URL: repo.Dir})
	done := make(chan string)
	go func() {
		last := ""
		for i := range 15 {
			writer.Write("a", fmt.Sprint(i))
			writer.Write("b", fmt.Sprint(i))
			last = writer.Commit(fmt.Sprint(i))
			writer.Git("push", "-q", repo.Dir, "HEAD:main")
		}
		done <- last
	}()
	for {
		select {
		case last := <-done:
			require.Equal(t, last, snapshot(t, r).Commit)
			return
		default:
			s := snapshot(t, r)
			a, err := fs.ReadFile(s.Files, "a")
			require.NoError(t, err)
			b, err := fs.ReadFile(s.Files, "b")
			require.NoError(t, err)
			require.Equal(t, string(a), string(b))
		}
	}
}

func thousand(b *testing.B) (*source.Repository, source.Snapshot) {
	repo := gittest.New(b)
	for i := range 1000 {
		repo.Write(fmt.Sprintf("tenants/t%02d/apps/a%03d/app.cue", i/50, i), fmt.Sprint("package fleet // ", i))
	}
	repo.Commit("start")
	r := open(b, source.Options{URL: repo.Dir})
	s, err := r.Snapshot(b.Context())
	require.NoError(b, err)
	return r, s
}

// BenchmarkDigest asks for the digests of a thousand directories.
func BenchmarkDigest(b *testing.B) {
	_, s := thousand(b)
	for b.Loop() {
		for i := range 1000 {
			if _, err := s.Files.Digest(fmt.Sprintf("tenants/t%02d/apps/a%03d", i/50, i)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkSnapshotUnchanged polls a remote that has not moved.
func BenchmarkSnapshotUnchanged(b *testing.B) {
	r, _ := thousand(b)
	for b.Loop() {
		if _, err := r.Snapshot(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
