package status_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestOrphansAreSaved: what no record knows is on the branch and on its first page as
// long as it is there.
func TestOrphansAreSaved(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	next := named(busyFleet())
	next.Orphans = []model.Inventory{{App: model.AppID{Tenant: "gone", Name: "app"}, Instance: 2, Namespace: "gone", Objects: 3, Commit: "0123456789012345678901234567890123456789", Ledger: next.Identity.ID}}
	l, changed, err := b.Commit(t.Context(), l, next)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, next.Orphans, l.Orphans)
	require.Contains(t, remote.Git("show", "status:README.md"), "| `gone/app#2` | 3 |")
	back, err := open(t, remote.Dir).Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, next.Orphans, back.Orphans)
	_, changed, err = b.Commit(t.Context(), l, l)
	require.NoError(t, err)
	require.False(t, changed)
	none := l
	none.Orphans = nil
	_, changed, err = b.Commit(t.Context(), l, none)
	require.NoError(t, err)
	require.True(t, changed)
	require.NotContains(t, remote.Git("ls-tree", "-r", "--name-only", "status"), "orphans.json")
}

// TestFleetRepoIsNoLedger: a branch that declares a fleet is not taken for an empty
// ledger of format 1, which a save would write over.
func TestFleetRepoIsNoLedger(t *testing.T) {
	remote := gittest.NewBare(t)
	dir := t.TempDir()
	remote.Git("clone", "-q", remote.Dir, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.cue"), []byte("package fleet\n"), 0o644))
	remote.Git("-C", dir, "add", "-A")
	remote.Git("-C", dir, "commit", "-qm", "a fleet")
	remote.Git("-C", dir, "push", "-q", "origin", "HEAD:refs/heads/status")
	_, err := open(t, remote.Dir).Load(t.Context())
	var other *status.NotLedgerError
	require.ErrorAs(t, err, &other)
	require.ErrorContains(t, err, "fleet.cue")
}
