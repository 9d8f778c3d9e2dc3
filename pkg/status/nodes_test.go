package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// The plans of nodes are saved with the ledger that they follow from, and go with their pools.
func TestPlansOfNodes(t *testing.T) {
	remote := gittest.NewBare(t)
	calls := 0
	b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir(), Nodes: func(l *model.Ledger) map[string][]byte {
		require.Equal(t, calls == 0, l.Plans == nil, "it is shown the plans before")
		calls++
		plans := map[string][]byte{"general": []byte(l.Instances[0].Phase + "\n")}
		if l.Instances[0].Phase == model.PhaseRunning {
			plans["gpu"] = []byte("{}\n")
		}
		plans["../escape"] = []byte("{}\n")
		return plans
	}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	running, _, err := b.Commit(t.Context(), empty, example(model.PhaseRunning))
	require.NoError(t, err)
	require.Equal(t, "Running\n", remote.Git("show", "status:nodes/general.json")+"\n")
	require.Equal(t, "nodes/general.json\nnodes/gpu.json", remote.Git("ls-tree", "-r", "--name-only", "status", "nodes"))

	require.Equal(t, "Running\n", string(running.Plans["general"]), "nobody makes them again")

	degraded, _, err := b.Commit(t.Context(), running, move(running, model.PhaseDegraded, noon))
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{"general": []byte("Degraded\n"), "../escape": []byte("{}\n")}, degraded.Plans)
	require.Equal(t, "Degraded\n", remote.Git("show", "status:nodes/general.json")+"\n")
	require.Equal(t, "nodes/general.json", remote.Git("ls-tree", "-r", "--name-only", "status", "nodes"))
	require.Equal(t, 2, calls, "once with each save")

	reader := open(t, remote.Dir)
	read, err := reader.Load(t.Context())
	require.NoError(t, err, "who does not write plans reads the branch as ever")
	require.Nil(t, read.Plans, "they are never read back")
}
