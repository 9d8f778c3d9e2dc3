//go:build linux

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// TestDemo plays the whole story with the real programs and real processes.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds and runs the real programs")
	}
	cgrouptest.V1(t, "cpu", "memory", "pids")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	group := cgrouptest.Name(t) + "/hosts"
	require.NoError(t, play(t.Context(), root, t.TempDir(), group, t.Output()))
}
