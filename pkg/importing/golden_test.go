package importing_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/importing"
	"github.com/d-aros/d-aros/test/inprocess"
)

// TestGolden: each own file becomes the CUE beside it, with what was not kept, the Secrets to make and the notes.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.*")
	require.NoError(t, err)
	for _, name := range names {
		if filepath.Ext(name) == ".golden" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			result, err := importing.Import(data, importing.Options{File: filepath.Base(name), Host: "import.example.com", Expand: evaluate.Through(inprocess.By[evaluate.Worker]()).Template})
			require.NoError(t, err)
			require.Equal(t, filepath.Base(filepath.Dir(name)), string(result.Report.Format))
			var got bytes.Buffer
			got.Write(result.CUE)
			r := result.Report
			fmt.Fprintf(&got, "\n-- %d fields: %d kept, %d left to Secrets\n", r.Fields, r.Kept, r.Withheld)
			lost := 0
			for _, l := range r.Lost {
				fmt.Fprintf(&got, "%d: %s (%d): %s; instead: %s\n", l.Line, l.Path, l.Fields, l.Reason, l.Instead)
				lost += l.Fields
			}
			for _, n := range r.Notes {
				fmt.Fprintln(&got, "note:", n)
			}
			require.Equal(t, r.Fields, r.Kept+r.Withheld+lost, "each field is kept, left to a Secret, or told")
			golden := strings.TrimSuffix(name, filepath.Ext(name)) + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
				return
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String())
		})
	}
}
