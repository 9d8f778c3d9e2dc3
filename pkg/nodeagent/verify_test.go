//go:build linux

package nodeagent

import (
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
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

// A promise of memory is judged only in turns in which what workloads use was measured, and stays until the next such
// turn. The log says it once, and the metric which resource it is.
func TestBrokenPromisesOfMemory(t *testing.T) {
	log := &syncBuffer{}
	registry := prometheus.NewRegistry()
	a := &agent{cfg: Config{Log: slog.New(slog.NewTextHandler(log, nil))}, journal: &cgroup.Journal{}, metrics: newMetrics(registry)}
	standings := []qos.Standing{
		{Workload: "db", Effective: qos.Amounts{Memory: 1 << 30}, Used: &qos.Used{CPU: 100, Memory: 1 << 29}, Pressure: &qos.Pressure{Memory: 5000}},
		{Workload: "batch", Used: &qos.Used{CPU: 100, Memory: 1 << 40}},
	}
	turn := func(fresh bool) int {
		next := Report{Broken: a.verifier.verifyMemory(standings, 1<<30, 0, []bool{fresh, true})}
		a.logBroken(next)
		next.Changed = a.report.Changed.Add(time.Second)
		a.report = next
		a.metrics.pass(time.Now(), time.Now(), a, nil)
		return len(next.Broken)
	}
	shown := func(resource string) float64 {
		var m dto.Metric
		require.NoError(t, a.metrics.broken.WithLabelValues(resource).Write(&m))
		return m.GetGauge().GetValue()
	}
	for _, fresh := range []bool{true, false, true, false, false} {
		require.Zero(t, turn(fresh))
	}
	require.Equal(t, 1, turn(true))
	require.Equal(t, 1, turn(false))
	require.Equal(t, 1, turn(true))
	require.Equal(t, 1, strings.Count(log.String(), "broken-promise"))
	require.Contains(t, log.String(), "promise=memory.reserved reserved=1Gi got=512Mi")
	require.Contains(t, log.String(), "batch")
	require.Equal(t, 1.0, shown("memory"))
	require.Zero(t, shown("cpu"))

	standings[0].Used.Memory = 1 << 30
	require.Zero(t, turn(true))
	require.Contains(t, log.String(), "promise holds again")
	require.Zero(t, shown("memory"))
}

// Promises of disks are judged when the load was looked at, and those of the network when some time has passed. Both end
// with what they are about.
func TestBrokenPromisesOfDisksAndTheNetwork(t *testing.T) {
	const second = time.Second
	var v verifier
	began := time.Now()
	standings := []qos.Standing{{Workload: "db", Effective: qos.Amounts{Disk: 50 << 20}}, {Workload: "batch"}}
	f := follower{disks: map[string]qos.DiskUse{"db": {Bytes: 10 << 20, Waited: 9000}, "batch": {Bytes: 90 << 20}}}
	disks := func(at, looked time.Duration) int {
		f.last = &sample{at: began.Add(looked)}
		return len(v.verifyDisks(standings, &f, began.Add(at)))
	}
	require.Equal(t, []int{0, 0, 0, 1, 1}, []int{disks(1*second, 1*second), disks(2*second, 1*second), disks(3*second, 3*second), disks(4*second, 4*second), disks(5*second, 4*second)})
	f = follower{}
	require.Empty(t, v.verifyDisks(standings, &f, began.Add(6*second)), "nothing follows the load any more")

	db := qos.Workload{Name: "db", Cgroup: "db", Reserved: model.Resources{}.With(model.NetworkResource, 50_000_000)}
	plan := qos.Plan{Workloads: []qos.Workload{db}}
	u := &qos.Uplink{Classes: []qos.Class{{Name: "system", Minor: 2, Rate: 5_000_000}, {Name: "db", Minor: 16, Rate: 50_000_000, Cgroups: []string{"db"}}}}
	network := func(at time.Duration) int {
		bytes := int64(at / time.Microsecond)
		return len(v.verifyNetwork(plan, u, map[uint16]qos.Sent{2: {Bytes: 10 * bytes}, 16: {Bytes: bytes, Waiting: 9}}, began.Add(at)))
	}
	require.Equal(t, []int{0, 0, 0, 0, 1, 1}, []int{network(0), network(second), network(2 * second), network(2*second + 1), network(3 * second), network(4 * second)})
	require.Empty(t, v.verifyNetwork(plan, nil, nil, began.Add(5*second)), "nothing is shaped any more")
}
