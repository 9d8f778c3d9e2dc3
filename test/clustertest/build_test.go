package clustertest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSourceHash(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	hash := func() string {
		h, err := sourceHash(t.Context(), dir)
		require.NoError(t, err)
		return h
	}
	write("go.mod", "module x\n")
	write("main.go", "package main\n")
	first := hash()
	require.Equal(t, first, hash())

	write("main_test.go", "package main\n")
	write("README.md", "text")
	require.Equal(t, first, hash(), "these are not part of the binary")

	write("main.go", "package main // changed\n")
	second := hash()
	require.NotEqual(t, first, second)
	write("stage.yaml", "kind: Stage\n")
	require.NotEqual(t, second, hash())
}

func TestCompileReportsErrorOfGo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() { undefined() }\n"), 0o600))
	binary := filepath.Join(dir, "binary")
	err := compile(t.Context(), dir, ".", binary, io.Discard)
	require.ErrorContains(t, err, "main.go:3:15: undefined: undefined")
	left, err := filepath.Glob(binary + "*")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestProgressCountsPackages(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	_, _ = io.WriteString(p, "go: downloading k8s.io/api v0.36.3\nk8s.io/a")
	_, _ = io.WriteString(p, "pi/core/v1\nk8s.io/api/apps/v1\n# x\n./main.go:1:1: wrong\n")
	p.end()
	require.Contains(t, out.String(), "2 packages compiled, now k8s.io/api/apps/v1")
	require.Equal(t, "# x\n./main.go:1:1: wrong", p.problems())
}

func TestRemoveOldBinaries(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		name := filepath.Join(dir, fmt.Sprint(binaryName, i))
		require.NoError(t, os.WriteFile(name, nil, 0o700))
		age := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		require.NoError(t, os.Chtimes(name, age, age))
	}
	require.NoError(t, removeOldBinaries(dir, kubeletName))
	require.NoError(t, removeOldBinaries(dir, binaryName))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, binaryName+"2"), filepath.Join(dir, binaryName+"3"), filepath.Join(dir, binaryName+"4")}, left)
}
