package apply_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

// BenchmarkFirstApply measures the processor time of this process for each object of a
// first apply, watches included. It is for comparing two versions of this package, in turns.
func BenchmarkFirstApply(b *testing.B) {
	const applications = 30
	f := setup(b)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("warm", configMap("warm", "1"), deployment("warm", "shop:1", "replicas: 0")))
	var took time.Duration
	round := 0
	for b.Loop() {
		round++
		var sets []render.Set
		for i := range applications {
			app := fmt.Sprintf("f%d-%d", round, i)
			sets = append(sets, f.set(app, configMap(app+"-1", "1"), configMap(app+"-2", "2"), configMap(app+"-3", "3"),
				deployment(app+"-4", "shop:1", "replicas: 0"), deployment(app+"-5", "shop:1", "replicas: 0")))
		}
		began := processorTime(b)
		f.apply(a, sets...)
		took += processorTime(b) - began
	}
	b.ReportMetric(float64(took.Microseconds())/float64(round*applications*5), "µs-CPU/object")
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkUnchanged measures a pass over applications of which nothing
// changed, and what the watch cache keeps of them.
func BenchmarkUnchanged(b *testing.B) {
	const applications = 250
	f := setup(b)
	var sets []render.Set
	for i := range applications {
		app := fmt.Sprintf("a%d", i)
		sets = append(sets, f.set(app, configMap(app+"-1", "1"), configMap(app+"-2", "2"), configMap(app+"-3", "3"),
			deployment(app, "shop:1", "replicas: 0")))
	}
	a := f.applier()
	f.apply(a, f.tenant())
	f.apply(a, sets...)

	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	again := f.applier()
	f.apply(again, sets...)
	kept := float64(heap()-before) / (1 << 20)
	for b.Loop() {
		r := a.Apply(b.Context(), sets)
		require.Equal(b, apply.Requests{}, r.Requests)
	}
	b.ReportMetric(kept/(applications*5)*1000, "MiB/1000-objects")
	b.ReportMetric(float64(b.N*applications*4)/b.Elapsed().Seconds(), "objects/s")
	runtime.KeepAlive(again)
}
