package render

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is rendered as what is wanted")

// TestGolden renders each input of testdata/*.txtar and compares the objects, or
// the error, with what stands below it.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			var input, want []byte
			kept := archive.Files[:0]
			for _, f := range archive.Files {
				switch f.Name {
				case "input.yaml":
					input = f.Data
				case "want":
					want = f.Data
					continue
				}
				kept = append(kept, f)
			}
			set, err := Application(readScenario(t, input).input(t, files(archive)))
			got := asText(t, set)
			if err != nil {
				got = err.Error() + "\n"
			}
			if *update {
				archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(got)})
				require.NoError(t, os.WriteFile(name, txtar.Format(archive), fs.FileMode(0o644)))
				return
			}
			require.Equal(t, string(want), got)
		})
	}
}
