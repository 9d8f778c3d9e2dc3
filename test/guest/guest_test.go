//go:build linux

package guest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	const output = "=== RUN   TestA\n    a_test.go:1: said\n--- PASS: TestA (0.10s)\n=== RUN   TestAB\n--- FAIL: TestAB (1.00s)\n    a_test.go:2: wrong\n=== RUN   TestC\npanic: x\n"
	verdict, log := verdictOf(output, "TestA")
	require.Equal(t, "PASS", verdict)
	require.Equal(t, "    a_test.go:1: said\n--- PASS: TestA (0.10s)", log)
	verdict, log = verdictOf(output, "TestAB")
	require.Equal(t, "FAIL", verdict)
	require.Contains(t, log, "wrong")
	verdict, log = verdictOf(output, "TestC")
	require.Empty(t, verdict)
	require.Contains(t, log, "panic: x")
}

func TestNoKernelIsSaid(t *testing.T) {
	t.Setenv("DAROS_CACHE", t.TempDir())
	_, err := Run(t.Context(), "/bin/true")
	require.ErrorAs(t, err, &Missing{})
	require.ErrorContains(t, err, "make qos-guest")
}

// A guest is given files beside programs.
func TestOnlyProgramsHaveLibraries(t *testing.T) {
	none := func(string) ([]byte, error) { return nil, errors.New("not asked") }
	for _, content := range []string{"", "x", "kind: Config\n"} {
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		files, err := libraries(file, none)
		require.NoError(t, err)
		require.Empty(t, files)
	}
}
