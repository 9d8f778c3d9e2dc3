package trace

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/arbitration/page"
)

var update = flag.Bool("update", false, "replay everything and write docs/arbitration-figures.md and its chart")

// levels are the capacities that the page compares; the chart is of the first.
var levels = []int{40, 60, 80}

// load reads the trace. It is not part of the project: its terms let people study
// it, not pass it on.
func load(t *testing.T) *Trace {
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", "trace-openb")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the trace is not here: put the openb files of alibaba/clusterdata, cluster-trace-gpu-v2023/csv, into ../shared/data/trace-openb")
	}
	tr, err := Read(dir)
	require.NoError(t, err)
	return tr
}

func TestRead(t *testing.T) {
	tr := load(t)
	require.Equal(t, 8152, tr.Pods)
	require.Len(t, tr.Pools, 8)
	pods := 0
	for _, j := range tr.Jobs {
		pods += j.Replicas
		require.Positive(t, j.Lasts)
		require.Contains(t, priorities, j.QoS)
	}
	require.Equal(t, tr.Pods, pods)
}

// TestReplay replays the beginning: twice the same, and everything that fits in a
// pool at all has run in the end.
func TestReplay(t *testing.T) {
	tr := load(t)
	s := Setting{Capacity: 30, Jobs: 150}
	f := tr.Replay(s)
	require.Equal(t, 150, f.Applications)
	require.Equal(t, f.Applications-f.Rejected+f.Evicted, f.Admitted, "each runs once, and once more for each eviction")
	require.Zero(t, f.Stuck)
	require.Less(t, f.Rejected, f.Applications/10)
	require.LessOrEqual(t, f.Use, 1.0)
	require.Equal(t, Table([]*Figures{f}), Table([]*Figures{tr.Replay(s)}))
}

// TestFigures writes the page, when told to.
func TestFigures(t *testing.T) {
	if !*update {
		t.Skip("replays everything: go test ./test/arbitration/trace -update")
	}
	tr := load(t)
	all := make([]*Figures, len(levels))
	var replays sync.WaitGroup
	for i, level := range levels {
		replays.Go(func() {
			f := tr.Replay(Setting{Capacity: level})
			p50, p99, most := f.CPU()
			t.Logf("%d %%: processor time of a pass: p50 %s, p99 %s, most %s, %d passes", level, p50, p99, most, f.Passes)
			all[i] = f
		})
	}
	replays.Wait()
	docs := filepath.Join("..", "..", "..", "docs")
	require.NoError(t, page.Replace(filepath.Join(docs, "arbitration-figures.md"), "trace", Table(all)))
	require.NoError(t, os.MkdirAll(filepath.Join(docs, "images"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(docs, "images", "arbitration-trace.svg"), []byte(all[0].Chart()), 0o644))
}
