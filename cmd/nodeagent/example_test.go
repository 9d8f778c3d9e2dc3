//go:build linux

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// TestPlainHost runs the example of a host without a cluster, which has none of its services.
func TestPlainHost(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"run", "--plan", "../../examples/node-plain/plan.yaml", "--dry-run", "--state-dir", t.TempDir()}, &out, &errOut)
	require.Equal(t, exitOK, code, "%s%s", &out, &errOut)
	require.Contains(t, out.String(), "no group of unit postgresql.service")
}

// TestUnitOfSystemd looks for every flag of the unit, and for what it needs to write.
func TestUnitOfSystemd(t *testing.T) {
	text, err := os.ReadFile("../../examples/node-plain/nodeagent.service")
	require.NoError(t, err)
	_, command, _ := strings.Cut(string(text), "ExecStart=/usr/local/bin/nodeagent ")
	command, _, _ = strings.Cut(command, "\n")
	root := newRoot()
	cmd, args, err := root.Find(strings.Fields(command))
	require.NoError(t, err)
	require.Equal(t, "run", cmd.Name())
	require.Contains(t, string(text), "ExecStopPost=/usr/local/bin/nodeagent rest\n", "after a crash nothing stays as the load of the moment wanted it")
	require.NoError(t, cmd.ParseFlags(args))
	require.Equal(t, "/var/lib/d-aros/nodeagent", root.PersistentFlags().Lookup("state-dir").DefValue, "StateDirectory= is below /var/lib")
	require.Contains(t, string(text), "ReadWritePaths="+cgrouptest.Root)
}
