package status_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestRecheck: the remote is not asked about a branch that was accepted a moment ago, and at every load about one that was
// not, as people may bring the right one back.
func TestRecheck(t *testing.T) {
	remote := gittest.NewBare(t)
	other := open(t, remote.Dir)
	save := func(next model.Ledger) model.Ledger {
		before, err := other.Load(t.Context())
		require.NoError(t, err)
		saved, changed, err := other.Commit(t.Context(), before, next)
		require.NoError(t, err)
		require.True(t, changed)
		return saved
	}
	b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir(), Keep: true, Recheck: time.Hour})
	require.NoError(t, err)
	load := func() model.Revision {
		l, err := b.Load(t.Context())
		require.NoError(t, err)
		return l.Revision
	}
	require.Zero(t, load(), "the branch is missing")
	first := save(example(model.PhaseRunning))
	require.Equal(t, first.Revision, load())
	b.Accept()

	second := save(move(first, model.PhaseDegraded, noon.Add(time.Minute)))
	require.Equal(t, first.Revision, load())
	_, _, err = b.Commit(t.Context(), first, move(first, model.PhaseDegraded, noon.Add(time.Minute)))
	require.ErrorIs(t, err, status.ErrMoved)
	require.Equal(t, second.Revision, load(), "it has moved")
	third := save(move(second, model.PhaseRunning, noon.Add(2*time.Minute)))
	require.Equal(t, third.Revision, load(), "the second was not accepted")
}
