package status_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestNobodyWritesWhatNobodyCanRead: a save that would exceed the limit is refused
// before the push, and the last good ledger stays. A branch that exceeds the limit of
// a process that starts is refused with the same words.
func TestNobodyWritesWhatNobodyCanRead(t *testing.T) {
	remote := gittest.NewBare(t)
	within := func(files int) *status.Branch {
		b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir(), Files: files})
		require.NoError(t, err)
		t.Cleanup(func() { _ = b.Close() })
		return b
	}
	first := example(model.PhaseRunning)
	b := within(0)
	past, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), past, first)
	require.NoError(t, err)
	files := len(strings.Fields(remote.Git("ls-tree", "-r", "--name-only", "status")))
	tip := remote.Git("rev-parse", "status")

	b = within(files)
	good, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1.0, b.FilesUsed())
	next := first
	another := first.Instances[0]
	another.App.Name, another.Revision = "shop2", model.Revision{}
	next.Instances = append(next.Instances[:1:1], another)
	_, _, err = b.Commit(t.Context(), good, next)
	require.EqualError(t, err, fmt.Sprintf("save status: the tree holds %d files, at most %d are allowed; raise --status-files, or divide the fleet", files+3, files))
	require.Greater(t, b.FilesUsed(), 1.0)
	require.Equal(t, tip, remote.Git("rev-parse", "status"))
	kept, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, good, kept, "the last good ledger stays")
	_, changed, err := b.Commit(t.Context(), kept, move(first, model.PhaseDegraded, noon))
	require.NoError(t, err, "what fits is saved as before")
	require.True(t, changed)

	_, err = within(files - 1).Load(t.Context())
	require.EqualError(t, err, fmt.Sprintf("load status branch: the tree holds %d files, at most %d are allowed; raise --status-files, or divide the fleet", files, files-1))
}

// TestFilesAreCounted as Git counts them, through additions and removals.
func TestFilesAreCounted(t *testing.T) {
	remote := gittest.NewBare(t)
	b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir(), Files: 100})
	require.NoError(t, err)
	defer b.Close()
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	for _, apps := range []int{1, 5, 2, 0, 3} {
		next := example(model.PhaseRunning)
		inst, decision := next.Instances[0], next.Decisions[0]
		next.Instances, next.Decisions = nil, nil
		for i := range apps {
			spec := *inst.Spec
			spec.ID.Name = fmt.Sprint("a", i)
			inst.App, decision.App, inst.Spec = spec.ID, spec.ID, &spec
			next.Instances, next.Decisions = append(next.Instances, inst), append(next.Decisions, decision)
		}
		l, _, err = b.Commit(t.Context(), l, next)
		require.NoError(t, err)
		files := len(strings.Fields(remote.Git("ls-tree", "-r", "--name-only", "status")))
		require.InDelta(t, float64(files)/100, b.FilesUsed(), 1e-9)
		again, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir(), Files: 100})
		require.NoError(t, err)
		_, err = again.Load(t.Context())
		require.NoError(t, err)
		require.InDelta(t, b.FilesUsed(), again.FilesUsed(), 1e-9)
		require.NoError(t, again.Close())
	}
}
