package kustomize

import (
	"encoding/json"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const boutiqueDir = "../../../../shared/data/online-boutique/kustomize"

// boutique is the kustomization of Online Boutique, which somebody else wrote.
func boutique(t testing.TB) fs.FS {
	if _, err := os.Stat(boutiqueDir); err != nil {
		t.Skipf("the kustomization of Online Boutique is not at hand: %v", err)
	}
	return os.DirFS(boutiqueDir)
}

// TestBoutique: what is read here and written anew builds to what kustomize
// builds from the directory itself.
func TestBoutique(t *testing.T) {
	files := boutique(t)
	for dir, objects := range map[string]int{
		".": 35, "base": 35, "tests/memorystore-with-all-components": 49,
		"tests/service-mesh-istio-with-all-components": 55, "tests/spanner-with-all-components": 49,
	} {
		t.Run(dir, func(t *testing.T) {
			read, err := kustomization(files, dir)
			require.NoError(t, err)
			got := read.Build()
			require.Empty(t, got.Failed)
			require.Len(t, got.Objects, objects)
			direct, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), boutiqueDir+"/"+dir)
			require.NoError(t, err)
			var want []json.RawMessage
			for _, r := range direct.Resources() {
				encoded, err := r.MarshalJSON()
				require.NoError(t, err)
				want = append(want, encoded)
			}
			require.ElementsMatch(t, want, got.Objects)
		})
	}
}

// BenchmarkBoutique builds the kustomization of Online Boutique: 35 objects.
func BenchmarkBoutique(b *testing.B) {
	files := boutique(b)
	b.ReportAllocs()
	for b.Loop() {
		read, err := kustomization(files, "base")
		require.NoError(b, err)
		require.Empty(b, read.Build().Failed)
	}
}
