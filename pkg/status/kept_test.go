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

// TestKept: who starts again has what was saved without fetching it, and fetches
// what somebody else saved meanwhile.
func TestKept(t *testing.T) {
	remote, dir := gittest.NewBare(t), t.TempDir()
	start := func() *status.Branch {
		b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: dir, Keep: true})
		require.NoError(t, err)
		return b
	}
	load := func(b *status.Branch) model.Ledger {
		l, err := b.Load(t.Context())
		require.NoError(t, err)
		b.Accept()
		return l
	}
	save := func(b *status.Branch, next model.Ledger) {
		_, changed, err := b.Commit(t.Context(), load(b), next)
		require.NoError(t, err)
		require.True(t, changed)
	}
	// apart loads while the remote lacks a file: whoever fetches fails.
	apart := func(b *status.Branch) model.Ledger {
		blob := remote.Git("rev-parse", "status:tenants/acme/shop/instance.json")
		object := filepath.Join(remote.Dir, "objects", blob[:2], blob[2:40])
		require.NoError(t, os.Rename(object, object+".away"))
		defer os.Rename(object+".away", object)
		_, err := open(t, remote.Dir).Load(t.Context())
		require.Error(t, err)
		return load(b)
	}

	b := start()
	save(b, example(model.PhaseRunning))
	save(b, move(load(b), model.PhaseDegraded, noon.Add(time.Minute)))
	want := load(b)
	require.NoError(t, b.Close())

	b = start()
	require.Equal(t, want, apart(b))
	save(b, move(want, model.PhaseRunning, noon.Add(2*time.Minute)))
	require.NoError(t, b.Close())

	other := open(t, remote.Dir) // keeps nothing
	save(other, move(load(other), model.PhaseDegraded, noon.Add(3*time.Minute)))
	b = start()
	require.Equal(t, load(other), load(b))
	want = load(b)
	require.NoError(t, b.Close())
	b = start()
	require.Equal(t, want, apart(b))
	require.NoError(t, b.Close())

	packs := filepath.Join(dir, "kept", "packs")
	data, err := os.ReadFile(packs)
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(packs, data, 0o600))
	b = start()
	require.Equal(t, want, load(b), "what is damaged is fetched")
	require.NoError(t, b.Close())
}

// TestReadsKeepWhatIsKept: a branch that is missing, or that somebody has replaced, does
// not cost the copy of what it said before. Only a save or an acceptance replaces it.
func TestReadsKeepWhatIsKept(t *testing.T) {
	remote, dir := gittest.NewBare(t), t.TempDir()
	start := func() *status.Branch {
		b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: dir, Keep: true})
		require.NoError(t, err)
		return b
	}
	b := start()
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), empty, named(example(model.PhaseRunning)))
	require.NoError(t, err)
	want, err := b.Load(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Close())

	kept := func(b *status.Branch) {
		t.Helper()
		require.Equal(t, want.Identity, b.KeptIdentity())
		got, ok := b.Kept()
		require.True(t, ok)
		require.Equal(t, content(want), content(got))
	}
	remote.Git("update-ref", "refs/heads/saved", "status")
	remote.Git("update-ref", "-d", "refs/heads/status")
	b = start()
	lost, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Zero(t, lost)
	b.Accept()
	kept(b)
	require.NoError(t, b.Close())

	foreign := example(model.PhaseDegraded)
	foreign.Identity = model.LedgerIdentity{ID: status.NewLedgerID(), Fleet: "fleet"}
	other := open(t, remote.Dir)
	empty, err = other.Load(t.Context())
	require.NoError(t, err)
	_, _, err = other.Commit(t.Context(), empty, foreign)
	require.NoError(t, err)
	b = start()
	loaded, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, foreign.Identity.ID, loaded.Identity.ID)
	kept(b)
	require.NoError(t, b.Close())

	b = start()
	kept(b)
	loaded, err = b.Load(t.Context())
	require.NoError(t, err)
	b.Accept()
	want = loaded
	kept(b)
	require.NoError(t, b.Close())

	elsewhere, err := status.Open(t.Context(), status.Options{URL: gittest.NewBare(t).Dir, Dir: dir, Keep: true})
	require.NoError(t, err)
	defer elsewhere.Close()
	require.Zero(t, elsewhere.KeptIdentity(), "it is a copy of another repository")
}
