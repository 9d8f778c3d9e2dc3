//go:build linux

package guest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArchive: cpio reads what the kernel is to read.
func TestArchive(t *testing.T) {
	cpio, err := exec.LookPath("busybox")
	if err != nil {
		t.Skip(err)
	}
	var b bytes.Buffer
	a := newArchive(&b)
	a.file("a/b/odd", []byte("five!"))
	a.file("a/b/empty", nil)
	a.directory("/a/c")
	require.NoError(t, a.close())
	cmd := exec.Command(cpio, "cpio", "-i", "-d")
	cmd.Dir, cmd.Stdin = t.TempDir(), &b
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	got, err := os.ReadFile(filepath.Join(cmd.Dir, "a/b/odd"))
	require.NoError(t, err)
	require.Equal(t, "five!", string(got))
	require.FileExists(t, filepath.Join(cmd.Dir, "a/b/empty"))
	require.DirExists(t, filepath.Join(cmd.Dir, "a/c"))
}

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
