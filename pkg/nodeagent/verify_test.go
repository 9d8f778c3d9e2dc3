//go:build linux

package nodeagent

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// TestBrokenPromisesAreFound: twenty processes directly beside the group of a reservation, which
// weigh more than any weight can outweigh, leave it less than it was promised. The report says
// so, and who took it; when they end, the promise holds again.
func TestBrokenPromisesAreFound(t *testing.T) {
	n := newNode(t)
	parent, group := strings.TrimSuffix(n.name, "/web"), n.name
	accounts := cgrouptest.Group(t, cgrouptest.Root+"/cpuacct", group)
	burn := func(nice int, dirs ...string) *exec.Cmd {
		cmd := cgrouptest.Command("ulimit -t 120; exec taskset -c 0 sh -c 'while :; do :; done'", dirs...)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		require.NoError(t, unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, nice))
		return cmd
	}
	burn(0, n.dir, accounts)
	var rivals []*exec.Cmd
	for range 20 {
		rivals = append(rivals, burn(-20, cgrouptest.Root+"/cpu/"+parent, cgrouptest.Root+"/cpuacct/"+parent))
	}
	n.write("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n- {name: web, cgroup: " + group + ", profile: guaranteed-pro, cpu: {request: 400m}}\n")
	stop := n.start()
	n.eventually("a broken promise", func() bool { return strings.Contains(n.log.String(), "broken-promise") })
	n.eventually("it is in the report", func() bool {
		report, _, err := ReadReport(n.cfg.StateDir)
		return err == nil && len(report.Broken) == 1
	})
	report, _, err := ReadReport(n.cfg.StateDir)
	require.NoError(t, err)
	b := report.Broken[0]
	require.Equal(t, []any{"web", "cpu.reserved", int64(400)}, []any{b.Workload, b.Promise, b.Reserved})
	require.Less(t, b.Got, int64(380))
	require.NotEmpty(t, b.By)
	require.False(t, report.Holds())
	t.Logf("got %d of %d milli-CPU, taken by %v", b.Got, b.Reserved, b.By)
	require.Contains(t, n.log.String(), "processes directly in "+parent)

	for _, cmd := range rivals {
		_ = cmd.Process.Kill()
	}
	n.eventually("the promise holds again", func() bool { return strings.Contains(n.log.String(), "promise holds again") })
	stop()
}
