package render

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// BenchmarkApplication renders an application of three components with traits.
func BenchmarkApplication(b *testing.B) {
	benchmark(b, "webservice.txtar")
}

// BenchmarkKustomize renders one kustomize component, an overlay on a base: when its files are new, and when what
// was built of them is known, as for each later rendering of the same files.
func BenchmarkKustomize(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		text, err := os.ReadFile("testdata/kustomize.txtar")
		require.NoError(b, err)
		tree, in := files(txtar.Parse(text)), goldens(b)["kustomize.txtar"]()
		measure(b, func() Input {
			in.Builds, err = Builder{}.Build(in.Instance.Spec, tree)
			require.NoError(b, err)
			return in
		})
	})
	b.Run("known", func(b *testing.B) { benchmark(b, "kustomize.txtar") })
}

func benchmark(b *testing.B, name string) {
	in := goldens(b)[name]()
	measure(b, func() Input { return in })
}

// measure renders inputs. Its processor time says more than the clock on a machine that others use, too.
func measure(b *testing.B, input func() Input) {
	var before, after syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
	b.ReportAllocs()
	for b.Loop() {
		set, err := Application(input())
		require.NoError(b, err)
		require.NotEmpty(b, set.Objects)
	}
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
	used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(used)/1e6/float64(b.N), "cpu-ms/op")
}
