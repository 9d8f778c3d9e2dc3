//go:build linux

package process_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	host "github.com/d-aros/d-aros/pkg/nodeagent/process"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/pkg/runtime/process"
	"github.com/d-aros/d-aros/test/cgrouptest"
	"github.com/d-aros/d-aros/test/runtimetest"
)

// startHost starts the agent of a host of this machine, with real processes, until the test ends.
func startHost(t testing.TB, dir, name string) {
	t.Helper()
	own := t.TempDir()
	h := host.Host{
		Name: name, Pool: "hosts", Directory: dir, Logs: filepath.Join(own, "logs"), Cgroup: cgrouptest.Name(t) + "/" + name,
		Capacity: model.Resources{CPU: 1000, Memory: 1 << 30}, Programs: []string{"/bin/sh"}, Users: map[string][]string{"acme": {"nobody"}},
	}
	s, err := host.Open(host.Config{
		Host: h, CgroupRoot: cgrouptest.Root, StateDir: filepath.Join(own, "state"), Launcher: []string{os.Args[0], "launch"},
		Tell: func(message string, pairs ...any) {}, Steady: 50 * time.Millisecond, Backoff: 20 * time.Millisecond,
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		for _, hierarchy := range []string{"cpu", "cpuacct", "memory", "pids", "blkio", "unified"} {
			groups, _ := filepath.Glob(filepath.Join(cgrouptest.Root, hierarchy, h.Cgroup, "p*.*"))
			top := filepath.Join(cgrouptest.Root, hierarchy, h.Cgroup)
			for _, g := range append(groups, top, filepath.Dir(top)) {
				if info, err := os.Stat(g); err == nil && info.IsDir() && (g != filepath.Dir(top) || empty(g)) {
					cgrouptest.Remove(t, g)
				}
			}
		}
	})
}

// empty reports whether a group has no group below it.
func empty(group string) bool {
	entries, err := os.ReadDir(group)
	return err == nil && !slices.ContainsFunc(entries, os.DirEntry.IsDir)
}

// edit changes the plan of the pool, as somebody else.
func edit(t testing.TB, dir string, change func(*hostplan.Plan)) {
	t.Helper()
	file := filepath.Join(dir, "hosts", "plan.json")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	plan, err := hostplan.ParsePlan(data)
	require.NoError(t, err)
	plan.Generation++
	change(&plan)
	data, err = plan.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file+".new", data, 0o600))
	require.NoError(t, os.Rename(file+".new", file))
}

// open opens an adapter over a directory.
func open(t testing.TB, dir string) *process.Runtime {
	r := process.New(process.Options{Dir: dir, Fleet: "fleet", Look: 10 * time.Millisecond})
	t.Cleanup(r.Close)
	return r
}

// shared makes a directory for hosts that users of other tenants may pass, and waits for its hosts.
func shared(t testing.TB, hosts ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shared")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for _, name := range hosts {
		startHost(t, dir, name)
	}
	require.Eventually(t, func() bool {
		reports, _ := filepath.Glob(filepath.Join(dir, "hosts", "hosts", "*.json"))
		return len(reports) == len(hosts)
	}, patience, 5*time.Millisecond)
	return dir
}

// patience bounds each wait, on a busy machine.
const patience = 2 * time.Minute

var platform = &model.Platform{Pools: []model.PoolSpec{{Name: "hosts", Runtimes: []string{"process"}, OS: []string{"linux"}, TopologyKey: "zone"}}}

// TestConformance holds the adapter and the agents of two hosts to the contract of all runtimes,
// with real processes.
func TestConformance(t *testing.T) {
	cgrouptest.V1(t, "cpu", "memory", "pids")
	dir := shared(t, "h1", "h2")
	runtimetest.Run(t, runtimetest.Subject{
		Open: func(t testing.TB) runtime.Adapter { return open(t, dir) },
		Behind: func(t testing.TB) (runtime.Adapter, func(bool)) {
			link := filepath.Join(t.TempDir(), "link")
			require.NoError(t, os.Symlink(dir, link))
			return open(t, link), func(cut bool) {
				_ = os.Remove(link)
				if !cut {
					require.NoError(t, os.Symlink(dir, link))
				}
			}
		},
		Tenant: model.Tenant{Name: "acme"}, Platform: platform,
		Program: model.Component{
			Type: "worker", Runtime: "process", OS: "linux", Requests: model.Resources{CPU: 10, Memory: 16 << 20}, QoS: model.Burstable,
			Properties: []byte(`{"command":["/bin/sh","-c","test \"$DAROS_COMPONENT\" = migrate && exit 0; exec sleep 1000"]}`),
		},
		Crashing: []byte(`{"command":["/bin/sh"],"args":["-c","exit 3"]}`), ExitCode: 3,
		Interfere: func(t testing.TB, app model.AppID, component string) {
			edit(t, dir, func(p *hostplan.Plan) {
				i, ok := p.Find(hostplan.Key{App: app, Component: component})
				require.True(t, ok)
				p.Workloads[i].Replicas, p.Workloads[i].Hosts = 0, nil
			})
		},
	})
}
