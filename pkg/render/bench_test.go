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

// BenchmarkBoutique builds the kustomization of Online Boutique: 35 objects.
func BenchmarkBoutique(b *testing.B) {
	files := boutique(b)
	b.ReportAllocs()
	for b.Loop() {
		tree, err := newTree(files)
		require.NoError(b, err)
		_, err = build(tree, "base")
		require.NoError(b, err)
	}
}
