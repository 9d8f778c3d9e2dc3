package trace

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/page"
	"github.com/d-aros/d-aros/test/tier"
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

// TestBackfill replays the beginning in one line: who passes makes nobody later than he was told.
func TestBackfill(t *testing.T) {
	tr := load(t)
	f := tr.Replay(Setting{Capacity: 30, Jobs: 150, Line: Backfill})
	require.Zero(t, f.Stuck)
	require.Positive(t, f.Kept)
	require.Zero(t, f.Later)
}

// TestFigures replays everything, which comes out as the page says. With -update it writes the page.
func TestFigures(t *testing.T) {
	if !*update && !tier.Soak() {
		t.Skip("replays everything: make soak compares it with the page, go test ./test/arbitration/trace -update writes the page")
	}
	tr := load(t)
	all, lines := make([]*Figures, len(levels)), make([]*Figures, len(Lines))
	t.Run("replays", func(t *testing.T) {
		for i, level := range levels {
			t.Run(fmt.Sprintf("%d %%", level), func(t *testing.T) {
				t.Parallel()
				f := tr.Replay(Setting{Capacity: level})
				p50, p99, most := f.CPU()
				t.Logf("processor time of a pass: p50 %s, p99 %s, most %s, %d passes", p50, p99, most, f.Passes)
				all[i] = f
			})
		}
		for i, line := range Lines {
			t.Run(string(line), func(t *testing.T) {
				t.Parallel()
				lines[i] = tr.Replay(Setting{Capacity: levels[0], Jobs: 1200, Line: line})
			})
		}
	})
	require.LessOrEqual(t, lines[1].Later, lines[2].Later, "who passes makes nobody later than he was told")
	docs := filepath.Join("..", "..", "..", "docs")
	if !*update {
		text, err := os.ReadFile(filepath.Join(docs, "arbitration-figures.md"))
		require.NoError(t, err)
		require.Contains(t, string(text), Table(all))
		require.Contains(t, string(text), LineTable(lines))
		return
	}
	require.NoError(t, page.Replace(filepath.Join(docs, "arbitration-figures.md"), "trace", Table(all)))
	require.NoError(t, page.Replace(filepath.Join(docs, "arbitration-figures.md"), "lines", LineTable(lines)))
	require.NoError(t, os.MkdirAll(filepath.Join(docs, "images"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(docs, "images", "arbitration-trace.svg"), []byte(all[0].Chart()), 0o644))
}
