//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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

// units are those of systemd that we ship.
var units = []string{"../../examples/node-plain/nodeagent.service", "../../deploy/systemd/d-aros-nodeagent.service"}

// TestUnitsOfSystemd looks for every flag of the units, and for what they need to write.
func TestUnitsOfSystemd(t *testing.T) {
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		require.NoError(t, err)
		_, command, _ := strings.Cut(string(text), "ExecStart=/usr/local/bin/nodeagent ")
		command, _, _ = strings.Cut(command, "\n")
		root := newRoot()
		cmd, args, err := root.Find(strings.Fields(command))
		require.NoError(t, err)
		require.Equal(t, "run", cmd.Name())
		require.NoError(t, cmd.ParseFlags(args))
		require.NoError(t, cmd.ValidateFlagGroups())
		require.Contains(t, string(text), "ExecStopPost=/usr/local/bin/nodeagent rest\n", "after a crash nothing stays as the load of the moment wanted it")
		require.Equal(t, "/var/lib/d-aros/nodeagent", root.PersistentFlags().Lookup("state-dir").DefValue, "StateDirectory= is below /var/lib")
		require.Contains(t, string(text), "StateDirectory=d-aros/nodeagent\n")
		if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
			here := filepath.Join(t.TempDir(), filepath.Base(unit)) // it wants programs that exist
			require.NoError(t, os.WriteFile(here, bytes.ReplaceAll(text, []byte("/usr/local/bin/nodeagent"), []byte("/bin/true")), 0o600))
			out, err := exec.Command(analyze, "verify", "--man=no", here).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.NotContains(t, string(out), filepath.Base(unit), "no warning")
		}
	}
	plain, err := os.ReadFile(units[0])
	require.NoError(t, err)
	require.Contains(t, string(plain), "ReadWritePaths="+cgrouptest.Root)
}

// TestUnitThatShapes: the addition to the unit has flags that there are, and adds the rights that
// shaping needs and no other.
func TestUnitThatShapes(t *testing.T) {
	text, err := os.ReadFile("../../deploy/systemd/network.conf")
	require.NoError(t, err)
	_, command, _ := strings.Cut(string(text), "ExecStart=/usr/local/bin/nodeagent ")
	command, rest, _ := strings.Cut(command, "\n")
	cmd, args, err := newRoot().Find(strings.Fields(command))
	require.NoError(t, err)
	require.NoError(t, cmd.ParseFlags(args))
	require.Equal(t, "eth0", cmd.Flag("network").Value.String())
	require.Contains(t, rest, "\nCapabilityBoundingSet=CAP_NET_ADMIN CAP_BPF\n")
	plain, err := os.ReadFile(units[0])
	require.NoError(t, err)
	require.Contains(t, string(plain), strings.Split(command, " --network")[0]+"\n", "it replaces the command of the unit")
}

// What a unit says of the agent is true for the programs that begin as its children.
func TestUnitWithProcessesBindsNoProgram(t *testing.T) {
	text, err := os.ReadFile(units[1])
	require.NoError(t, err)
	require.Contains(t, string(text), "\nKillMode=process\n")
	for line := range strings.Lines(string(text)) {
		require.NotRegexp(t, `^(Protect|Private|Restrict|Memory|SystemCall|ReadOnly|ReadWrite|Inaccessible|OOM|Limit|Tasks|CPU|IO|Nice|Root|Dynamic|User=|Group=)`, line)
	}
}
