package kustomize

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestCorpus builds every kustomization of testdata/corpus as kustomize itself does.
// Components are built with what refers to them. There is no program that could be started.
func TestCorpus(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	archives, err := filepath.Glob("testdata/corpus/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		files := written()
		for _, f := range archive.Files {
			for p, file := range written(f.Name, string(f.Data)) {
				files[p] = file
			}
		}
		for _, f := range archive.Files {
			if strings.HasPrefix(strings.ToLower(path.Base(f.Name)), "kustomization") && !strings.Contains(string(f.Data), "kind: Component") {
				t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+path.Dir(f.Name), func(t *testing.T) {
					requireEqual(t, files, path.Dir(f.Name))
					read, err := kustomization(files, path.Dir(f.Name))
					require.NoError(t, err)
					require.Empty(t, read.Build().Failed, "nothing was compared")
				})
			}
		}
	}
}
