//go:build linux

package nodeagent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// TestReportShowsUse: the report has what a workload was promised, has of that, uses and waits for, and so have the metrics.
// While it uses nothing, the report is not written again.
func TestReportShowsUse(t *testing.T) {
	n := newNode(t)
	accounts := cgrouptest.Group(t, cgrouptest.Root+"/cpuacct", n.name)
	unified := cgrouptest.Group(t, cgrouptest.Unified(), n.name)
	n.write("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n- {name: web, cgroup: " + n.name + ", profile: guaranteed-pro, cpu: {request: 100m}}\n")
	a, err := open(n.cfg, false)
	require.NoError(t, err)
	defer a.close()
	web := func() qos.Standing {
		a.report.Measured = time.Time{} // as if the last time were long ago
		require.NoError(t, a.pass(t.Context(), false))
		report, _, err := ReadReport(n.cfg.StateDir)
		require.NoError(t, err)
		require.Len(t, report.Workloads, 1)
		require.Equal(t, qos.Amounts{CPU: 100}, report.Workloads[0].Promised)
		require.GreaterOrEqual(t, report.Workloads[0].Effective.CPU, int64(90))
		return report.Workloads[0]
	}
	require.Nil(t, web().Used, "one look is none")
	cmd := cgrouptest.Command("ulimit -t 120; exec taskset -c 0 sh -c 'while :; do :; done'", n.dir, accounts, unified)
	require.NoError(t, cmd.Start())
	stop := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	defer stop()
	require.Eventually(t, func() bool {
		w := web()
		return w.Used != nil && w.Used.CPU > 50 && w.Pressure != nil
	}, 2*time.Minute, 10*time.Millisecond, "it burns")
	require.Equal(t, map[string]int{"cpu_used_cores": 1, "memory_used_bytes": 1, "memory_protected_bytes": 0, "pressure_ratio": 3}, shown(t, a))

	stop()
	require.Eventually(t, func() bool { // so little that no other figure is news
		w := web()
		return w.Used != nil && w.Used.CPU <= 50 && w.Pressure == nil
	}, 2*time.Minute, 10*time.Millisecond)
	path := filepath.Join(n.cfg.StateDir, reportFile)
	require.Eventually(t, func() bool { // what it had may still be given back, and the host's other threads come and go
		before, err := os.Stat(path)
		require.NoError(t, err)
		for range 5 {
			web()
		}
		after, err := os.Stat(path)
		require.NoError(t, err)
		return os.SameFile(before, after)
	}, 2*time.Minute, 10*time.Millisecond, "it idles, and nothing is written")
}

// shown counts the figures of each metric about what workloads use.
func shown(t *testing.T, a *agent) map[string]int {
	families, err := a.registry.Gather()
	require.NoError(t, err)
	all := map[string]int{"memory_protected_bytes": 0}
	for _, f := range families {
		name := strings.TrimPrefix(f.GetName(), "daros_node_workload_")
		if strings.Contains(name, "used") || strings.Contains(name, "pressure") || strings.Contains(name, "protected") {
			all[name] = len(f.GetMetric())
		}
	}
	return all
}

// Reports of older agents say less.
func TestOldReportsAreRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, reportFile), []byte(`{"changed": "2026-01-02T03:04:05Z", "digest": "sha256:0", "mode": "unified",
		"outcomes": [], "shares": [{"workload": "web", "cpu": 500, "reserved": 250}], "degradations": []}`), 0o600))
	report, _, err := ReadReport(dir)
	require.NoError(t, err)
	require.True(t, report.Holds())
	require.Empty(t, report.Workloads)
}

// With many workloads each has its turn, and what left the plan is forgotten.
func TestManyWorkloadsAreMeasuredInTurns(t *testing.T) {
	tree := &cgroup.Tree{} // of a host that tells nothing
	plan := qos.Plan{Workloads: make([]qos.Workload, mostAsked+2)}
	for i := range plan.Workloads {
		plan.Workloads[i].Name = strconv.Itoa(i)
	}
	m, now := meter{}, time.Now()
	look := func(after time.Duration) {
		now = now.Add(after)
		m.measure(tree, plan, make([]qos.Standing, len(plan.Workloads)), now)
	}
	look(0)
	require.Len(t, m.seen, mostAsked)
	look(leastLook - 1)
	require.Len(t, m.seen, mostAsked, "too soon")
	look(leastLook)
	require.Len(t, m.seen, mostAsked+2)
	require.Equal(t, now, m.seen["513 "].at)
	require.Equal(t, now, m.seen["125 "].at)
	require.NotEqual(t, now, m.seen["126 "].at)

	// Who has not run is asked for nothing else between its turns.
	before := measurement{at: now, known: true, used: &qos.Used{CPU: 7, Memory: 9}, pressure: &qos.Pressure{IO: 3}}
	require.Equal(t, measurement{at: now, known: true, used: &qos.Used{Memory: 9}, pressure: before.pressure}, before.idle(now))
	plan.Workloads = plan.Workloads[:1]
	look(leastLook)
	require.Len(t, m.seen, 1)
	plan.Workloads = nil
	look(leastLook)
	require.Empty(t, m.seen)
}
