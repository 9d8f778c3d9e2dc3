package status_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// keeper makes a branch of three saves and the copy of them. The reconciler that keeps
// the copy still runs.
func keeper(t *testing.T) (remote *gittest.Repo, dir string, want model.Ledger) {
	remote, dir = gittest.NewBare(t), t.TempDir()
	b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: dir, Keep: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	next := named(busyFleet())
	for i := range 3 {
		_, _, err = b.Commit(t.Context(), l, next)
		require.NoError(t, err)
		l, err = b.Load(t.Context())
		require.NoError(t, err)
		next = move(l, []model.Phase{model.PhaseDegraded, model.PhaseRunning}[i%2], noon.Add(time.Duration(i+1)*time.Minute))
	}
	return remote, dir, l
}

// TestRestore: the copy becomes the next save of the same ledger, whatever there is in
// its place, and is complete.
func TestRestore(t *testing.T) {
	for name, lose := range map[string]func(remote *gittest.Repo){
		"it does not exist": func(remote *gittest.Repo) { remote.Git("update-ref", "-d", "refs/heads/status") },
		"it holds save 2 of this ledger": func(remote *gittest.Repo) {
			remote.Git("update-ref", "refs/heads/status", "status~1")
		},
		"it holds no ledger": func(remote *gittest.Repo) {
			tree := remote.Git("hash-object", "-t", "tree", "-w", "/dev/null")
			remote.Git("update-ref", "refs/heads/status", remote.Git("commit-tree", "-m", "empty", tree))
		},
	} {
		t.Run(name, func(t *testing.T) {
			remote, dir, want := keeper(t)
			tree := remote.Git("ls-tree", "-r", "status")
			lose(remote)
			refs := remote.Git("for-each-ref")
			b := open(t, remote.Dir)
			shown, err := b.Restore(t.Context(), dir, false)
			require.NoError(t, err)
			require.Equal(t, name, shown.Found)
			require.True(t, shown.Needed)
			require.Equal(t, refs, remote.Git("for-each-ref"), "without write nothing is written")

			done, err := b.Restore(t.Context(), dir, true)
			require.NoError(t, err)
			require.Equal(t, done.Commit, remote.Git("rev-parse", "status"))
			require.Equal(t, want.Identity, done.Ledger)
			remote.Git("fsck", "--strict", "--no-dangling")
			back := load(t, remote)
			require.Equal(t, want.Identity.Sequence+1, back.Identity.Sequence)
			back.Identity.Sequence--
			require.Equal(t, content(want), back)
			require.NotEqual(t, tree, remote.Git("ls-tree", "-r", "status"), "the number of the save")

			again, err := open(t, remote.Dir).Restore(t.Context(), dir, true)
			require.NoError(t, err)
			require.False(t, again.Needed)
			require.Empty(t, again.Commit)
			require.Equal(t, done.Commit, remote.Git("rev-parse", "status"))
		})
	}
}

// TestNoRestore: another ledger is not overwritten, and a copy that is missing, damaged
// or of another repository restores nothing.
func TestNoRestore(t *testing.T) {
	remote, dir, _ := keeper(t)
	refuses := func(says string, remote *gittest.Repo, dir string) {
		t.Helper()
		refs := remote.Git("for-each-ref")
		_, err := open(t, remote.Dir).Restore(t.Context(), dir, true)
		require.ErrorContains(t, err, says)
		require.Equal(t, refs, remote.Git("for-each-ref"))
	}
	refuses("keeps no ledger of", remote, t.TempDir())
	refuses("keeps no ledger of", gittest.NewBare(t), dir)

	remote.Git("update-ref", "-d", "refs/heads/status")
	other := open(t, remote.Dir)
	empty, err := other.Load(t.Context())
	require.NoError(t, err)
	foreign := example(model.PhaseRunning)
	foreign.Identity = model.LedgerIdentity{ID: status.NewLedgerID(), Fleet: "fleet"}
	_, _, err = other.Commit(t.Context(), empty, foreign)
	require.NoError(t, err)
	refuses("holds another ledger", remote, dir)

	remote.Git("update-ref", "-d", "refs/heads/status")
	packs := filepath.Join(dir, "kept", "packs")
	require.NoError(t, os.Truncate(packs, 100))
	refuses("is damaged", remote, dir)
}
