package pool

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// TestMeasureMemory evaluates changed applications 10,000 times and prints what
// stays in memory: make bench-evaluate.
func TestMeasureMemory(t *testing.T) {
	if *apps == 0 {
		t.Skip("without -apps (make bench-evaluate): evaluates thousands of applications, and prints what that takes")
	}
	const n, rounds, reports = 100, 100, 5
	files := fleetOf(0, "acme") // in memory: the caches of Git are not what is measured
	p := open(t, Options{Dir: t.TempDir()})
	e := evaluate.Through(p)
	var first, last uint64
	for round := range rounds {
		for i := range n {
			name := fmt.Sprintf("app-%d", i)
			files.put("tenants/acme/apps/"+name+"/app.cue", strings.NewReplacer("NAME", name, "VERSION", fmt.Sprint(round)).Replace(measuredApp))
		}
		f := e.Fleet(fmt.Sprint(round), files, nil)
		require.Len(t, f.Applications, n)
		require.Empty(t, f.Problems)
		if (round+1)%(rounds/reports) != 0 {
			continue
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		last = m.HeapAlloc
		if first == 0 {
			first = last
		}
		most := 0
		for _, pid := range children(p) {
			of, _ := mostMemory(t, pid)
			most = max(most, of)
		}
		here, _ := mostMemory(t, os.Getpid())
		fmt.Printf("%-44s %9d MB heap, %d MB at most here, %d MB at most in a child\n",
			fmt.Sprintf("after %d evaluations", (round+1)*n), last>>20, here>>20, most>>20)
		runtime.KeepAlive(f)
	}
	require.Less(t, last, first+first/4, "memory is flat")
}
