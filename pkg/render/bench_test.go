package render

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkApplication renders an application of three components with traits.
func BenchmarkApplication(b *testing.B) {
	benchmark(b, "webservice.txtar")
}

// BenchmarkKustomize renders one kustomize component: an overlay on a base.
func BenchmarkKustomize(b *testing.B) {
	benchmark(b, "kustomize.txtar")
}

func benchmark(b *testing.B, name string) {
	in := goldens(b)[name]()
	b.ReportAllocs()
	for b.Loop() {
		set, err := Application(in)
		require.NoError(b, err)
		require.NotEmpty(b, set.Objects)
	}
}
