//go:build linux

package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/durable"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// patience bounds each wait, on a busy machine.
const patience = 2 * time.Minute

// site is a host with a plan that the test writes.
type site struct {
	*testing.T
	Config
	generation int64
	stop       func()
	under      []string // command that the agent runs under
}

func newSite(t *testing.T) *site {
	cgrouptest.V1(t, "cpu", "memory", "pids")
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	s := &site{T: t, stop: func() {}, Config: Config{
		CgroupRoot: cgrouptest.Root, StateDir: filepath.Join(dir, "state"), Launcher: []string{os.Args[0], "launch"},
		Steady: 50 * time.Millisecond, Backoff: 20 * time.Millisecond,
		Host: Host{
			Name: "h1", Pool: "hosts", Directory: filepath.Join(dir, "shared"), Logs: filepath.Join(dir, "logs"), Cgroup: cgrouptest.Name(t),
			Capacity: model.Resources{CPU: 2000, Memory: 1 << 30}, Programs: []string{"/bin", "/usr/bin"}, Users: map[string][]string{"acme": {"nobody", "root"}},
		},
	}}
	require.NoError(t, os.MkdirAll(filepath.Join(s.Host.Directory, s.Host.Pool), 0o755))
	t.Cleanup(func() {
		s.stop()
		for _, h := range []string{"cpu", "cpuacct", "memory", "pids", "blkio", "unified"} {
			groups, _ := filepath.Glob(filepath.Join(cgrouptest.Root, h, s.Host.Cgroup, "*"))
			for _, g := range append(groups, filepath.Join(cgrouptest.Root, h, s.Host.Cgroup)) {
				if info, err := os.Stat(g); err == nil && info.IsDir() {
					cgrouptest.Remove(t, g)
				}
			}
		}
	})
	return s
}

// agent runs a supervisor in a process of its own, until that is killed.
func agent(file string) int {
	data, err := os.ReadFile(file)
	var cfg Config
	if err == nil {
		err = json.Unmarshal(data, &cfg)
	}
	if err != nil {
		panic(err)
	}
	if n, _ := strconv.Atoi(os.Getenv(crashAt)); n > 0 {
		reached = func() {
			if n--; n == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
	cfg.Tell = func(message string, pairs ...any) { fmt.Fprintln(os.Stderr, message, pairs) }
	s, err := Open(cfg)
	if err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s.Run(ctx)
	return 0
}

// crashAt has the number of the step at which an agent is killed.
const crashAt = "PROCESS_TEST_CRASH_AT"

// start starts the agent as a process of its own.
func (s *site) start(env ...string) *exec.Cmd {
	s.Helper()
	data, err := json.Marshal(struct {
		Host                 Host
		CgroupRoot, StateDir string
		Launcher             []string
		Steady, Backoff      time.Duration
	}{s.Host, s.CgroupRoot, s.StateDir, s.Launcher, s.Steady, s.Backoff})
	require.NoError(s, err)
	file := filepath.Join(s.TempDir(), "config.json")
	require.NoError(s, os.WriteFile(file, data, 0o600))
	command := append(slices.Clone(s.under), os.Args[0], "agent", file)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr, cmd.Env = s.Output(), append(os.Environ(), env...)
	require.NoError(s, cmd.Start())
	s.stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return cmd
}

// plan gives the host its workloads.
func (s *site) plan(workloads ...hostplan.Workload) {
	s.Helper()
	s.generation++
	slices.SortFunc(workloads, func(a, b hostplan.Workload) int { return a.Compare(b.Key) })
	p := hostplan.Plan{Fleet: "f", Pool: s.Host.Pool, Generation: s.generation, Workloads: workloads}
	data, err := p.Encode()
	require.NoError(s, err)
	require.NoError(s, durable.Write(filepath.Join(s.Host.Directory, s.Host.Pool), planFile, data, 0o600))
}

// report returns the report of the host, empty before there is one.
func (s *site) report() hostplan.Report {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.Host.Directory, s.Host.Pool, hostsDirectory, s.Host.Name+".json"))
	if os.IsNotExist(err) {
		return hostplan.Report{}
	}
	require.NoError(s, err)
	r, err := hostplan.ParseReport(data)
	require.NoError(s, err)
	return r
}

// until waits until the report is as wanted.
func (s *site) until(what string, want func(hostplan.Report) bool) (r hostplan.Report) {
	s.Helper()
	require.Eventually(s, func() bool { r = s.report(); return want(r) }, patience, 5*time.Millisecond, what)
	return r
}

// untilStates waits until the processes have these states, in order, as of the last plan.
func (s *site) untilStates(states ...hostplan.State) hostplan.Report {
	s.Helper()
	var last hostplan.Report
	defer func() {
		if s.Failed() {
			s.Logf("%+v", last)
		}
	}()
	return s.until(fmt.Sprint(states), func(r hostplan.Report) bool {
		last = r
		now := make([]hostplan.State, len(r.Processes))
		for i := range r.Processes {
			now[i] = r.Processes[i].State
		}
		return r.Generation == s.generation && slices.Equal(now, states)
	})
}

// work is a workload of some replicas on the host.
func work(name string, replicas int, script string) hostplan.Workload {
	w := hostplan.Workload{
		Key: hostplan.Key{App: model.AppID{Tenant: "acme", Name: "shop"}, Component: name}, Digest: model.DigestOf(script), Replicas: replicas,
		QoS: model.Burstable, Requests: model.Resources{CPU: 100, Memory: 16 << 20},
		Program: hostplan.Program{Command: []string{"/bin/sh", "-c", script}, Grace: patience},
	}
	if replicas > 0 {
		w.Hosts = []hostplan.Place{{Host: "h1", Replicas: replicas}}
	}
	return w
}

// forever is a program that runs until it is told to end, and then does.
const forever = "trap 'exit 0' TERM; while :; do sleep 1000 & wait; done"

func groupsOf(t *testing.T, pid int) string {
	t.Helper()
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	require.NoError(t, err)
	return string(data)
}

// TestLife: replicas start in groups of their own with their bounds, as the user of the tenant,
// and are scaled, changed and stopped; nothing of them is left.
func TestLife(t *testing.T) {
	s := newSite(t)
	s.start()
	w := work("web", 2, "id -un; pwd; env; "+forever)
	w.Program.Limits = model.Resources{CPU: 500, Memory: 64 << 20}
	w.Program.Env = map[string]string{"COLOUR": "blue"}
	w.Program.Tasks = 50
	s.plan(w)
	r := s.untilStates(hostplan.Running, hostplan.Running)
	for i, p := range r.Processes {
		group := fmt.Sprintf("/%s/p%d.acme.shop.web.%d", s.Host.Cgroup, i+1, i)
		for _, h := range []string{"cpu", "memory", "pids"} {
			require.Contains(t, groupsOf(t, p.PID), h+":"+group)
		}
		dir := filepath.Join(cgrouptest.Root, "cpu", group)
		require.Equal(t, "50000", cgrouptest.Read(t, dir, "cpu.cfs_quota_us"))
		require.Equal(t, "102", cgrouptest.Read(t, dir, "cpu.shares"))
		require.Equal(t, strconv.Itoa(64<<20), cgrouptest.Read(t, filepath.Join(cgrouptest.Root, "memory", group), "memory.limit_in_bytes"))
		require.Equal(t, "50", cgrouptest.Read(t, filepath.Join(cgrouptest.Root, "pids", group), "pids.max"))
	}
	for _, line := range []string{"nobody\n/\n", "\nCOLOUR=blue\n", "\nDAROS_REPLICA=1\n"} { // a program may run before it says something
		require.Eventually(t, func() bool {
			output, err := os.ReadFile(filepath.Join(s.Host.Logs, "acme/shop/web-1.log"))
			return err == nil && strings.Contains(string(output), line)
		}, patience, 5*time.Millisecond, line)
	}

	w.Requests.CPU, w.Digest = 200, "other" // what needs no start changes in place
	s.plan(w)
	changed := s.until("the new grant", func(r hostplan.Report) bool { return len(r.Processes) == 2 && r.Processes[1].Digest == "other" })
	require.Equal(t, r.Processes[0].PID, changed.Processes[0].PID)
	require.Equal(t, "204", cgrouptest.Read(t, filepath.Join(cgrouptest.Root, "cpu", s.Host.Cgroup, "p1.acme.shop.web.0"), "cpu.shares"))

	newer := work("web", 2, "exec sleep 1000")
	s.plan(newer)
	replaced := s.until("both are newer", func(r hostplan.Report) bool {
		return len(r.Processes) == 2 && !slices.ContainsFunc(r.Processes, func(p hostplan.Process) bool { return p.Digest != newer.Digest || p.State != hostplan.Running })
	})
	require.NotEqual(t, r.Processes[0].PID, replaced.Processes[0].PID)
	require.Zero(t, replaced.Processes[0].Restarts)
	require.Nil(t, replaced.Processes[0].Exit, "it was asked to end")

	s.plan(work("web", 0, "x"))
	s.untilStates()
	groups, err := filepath.Glob(filepath.Join(cgrouptest.Root, "*", s.Host.Cgroup, "p*.acme.*"))
	require.NoError(t, err)
	require.Empty(t, groups)
}

// TestFailures: how a program ends is told, it is started again, and a program that cannot be
// started says why.
func TestFailures(t *testing.T) {
	s := newSite(t)
	s.start()
	greedy := work("greedy", 1, "exec tail /dev/zero")
	greedy.Program.Limits.Memory = 16 << 20
	absent := work("nothing", 1, "")
	absent.Program.Command = []string{"/bin/there-is-no-such-program"}
	ends := work("once", 1, "exit 0")
	ends.Program.Finite = true
	tries := work("tries", 1, "exit 4")
	tries.Program.Finite, tries.Program.Attempts = true, 2
	late := work("late", 1, forever)
	late.Program.Finite, late.Program.Deadline = true, 100*time.Millisecond
	s.plan(work("code", 1, "exit 3"), greedy, absent, ends, tries, late, work("signal", 1, "kill -KILL $$"))
	of := func(r hostplan.Report, name string) hostplan.Process {
		i := slices.IndexFunc(r.Processes, func(p hostplan.Process) bool { return p.Component == name })
		if i < 0 {
			return hostplan.Process{}
		}
		return r.Processes[i]
	}
	s.until("all have failed", func(r hostplan.Report) bool {
		code, out, signal := of(r, "code"), of(r, "greedy"), of(r, "signal")
		return code.Restarts > 1 && code.Exit.Code == 3 && out.Restarts > 0 && out.Exit.Memory && out.Exit.Signal == 9 &&
			signal.Restarts > 0 && signal.Exit.Signal == 9 && !signal.Exit.Memory &&
			strings.Contains(of(r, "nothing").Message, "start /bin/there-is-no-such-program: no such file") &&
			of(r, "once").State == hostplan.Done && of(r, "tries").State == hostplan.Failed && of(r, "tries").Exit.Code == 4 &&
			of(r, "late").State == hostplan.Failed && strings.Contains(of(r, "late").Message, "deadline")
	})
	require.Equal(t, 0, of(s.report(), "once").Restarts)
}
