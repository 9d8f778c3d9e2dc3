package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDirectoryIsForOne(t *testing.T) {
	root := filepath.Join(t.TempDir(), "new")
	d, err := openDirectory(root)
	require.NoError(t, err)
	_, err = openDirectory(root)
	require.ErrorContains(t, err, "in use by process "+strconv.Itoa(os.Getpid()))
	require.NoError(t, d.close())

	again, err := openDirectory(root)
	require.NoError(t, err)
	require.NoError(t, again.close())
}

func TestDirectoryForgetsEarlierRun(t *testing.T) {
	root := t.TempDir()
	stale := []string{"kubeconfig.yaml", "pids/etcd.pid"}
	leave := func() {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "pids"), 0o700))
		for _, name := range stale {
			require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
		}
	}
	leave()
	d, err := openDirectory(root)
	require.NoError(t, err)
	for _, name := range stale {
		require.NoFileExists(t, filepath.Join(root, name))
	}
	leave()
	require.NoError(t, d.close())
	for _, name := range stale {
		require.NoFileExists(t, filepath.Join(root, name))
	}
}
