//go:build linux

package nodeagent

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// A probe names everything once, says for each what it means, and tells a kind
// that no kernel has from those it knows.
func TestProbe(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Probe(cgroup.Root) {
		t.Logf("%-22s %-8s %s: %s → %s", f.Name, f.State, f.Detail, f.Means, f.Do)
		require.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		require.NotEmpty(t, f.Means, f.Name)
		require.Equal(t, f.State == yes, f.Do == "", "what is missing has a remedy: %s", f.Name)
		require.Contains(t, []string{yes, no, unknown}, f.State)
	}
	for name := range remedies {
		require.True(t, seen[name] || !seen["cpu"], "a remedy for nothing: %s", name)
	}
	require.True(t, seen["tc htb"] && seen["eBPF sched_cls"] && seen["uplink"] && seen["pressure"])
}

func TestTryQdiscs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a network namespace needs root")
	}
	results, err := tryQdiscs([]string{"no_such_qdisc", "clsact", "pfifo"})
	require.NoError(t, err)
	require.ErrorContains(t, results[0], "does not know it")
	require.NoError(t, results[2])
}
