//go:build linux

package nodeagent

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// batch is a document with a workload that gives way to others, with and without a limit.
func (n *node) batch(limit string) string {
	return fmt.Sprintf(`apiVersion: d-aros.dev/v1alpha1
kind: NodePlan
profiles: [{name: batch, cpu: {weight: 1, quota: 100, suppress: 1}}]
workloads: [{name: batch, cgroup: %s, profile: batch, cpu: {request: 0%s}}]
`, n.name, limit)
}

// A workload that gives way has little on a host where others are busy, says why, and has
// what the plan says again when the agent stops.
func TestSuppressed(t *testing.T) {
	n := newNode(t)
	n.write(n.batch(", limit: 500m"))
	stop := n.start()
	n.eventually("the load of the host suppresses it", func() bool { return n.quota() != "50000" && n.quota() != "-1" })
	n.eventually("the reason is said", func() bool { return strings.Contains(n.log.String(), "and 1 % may be in use") })
	n.eventually("the report has it", func() bool {
		r, _, err := ReadReport(n.cfg.StateDir)
		return err == nil && len(r.Outcomes) > 0 && strings.Contains(fmt.Sprint(r.Outcomes), "may be in use")
	})
	stop()
	require.Equal(t, "50000", n.quota())

	// The plan has no bound: then the original value is the one to have.
	n.write(n.batch(""))
	stop = n.start()
	n.eventually("it is suppressed", func() bool { return n.quota() != "-1" && n.quota() != "50000" })
	stop()
	require.Equal(t, "-1", n.quota())
}

// On v1 nothing protects memory, so a workload that gives memory back has never more than is
// left beside what is kept for the host; and no bound when the agent stops.
func TestMemoryGivesWayOnV1(t *testing.T) {
	cgrouptest.V1(t, "memory")
	n := &node{t: t, name: cgrouptest.Name(t) + "/batch", log: &syncBuffer{}}
	n.dir = cgrouptest.Group(t, cgrouptest.Root+"/memory", n.name)
	n.cfg = Config{
		Plan: filepath.Join(t.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: filepath.Join(t.TempDir(), "state"),
		Interval: 200 * time.Millisecond, Log: slog.New(slog.NewTextHandler(n.log, nil)),
	}
	var info unix.Sysinfo_t
	require.NoError(t, unix.Sysinfo(&info))
	total := int64(uint64(info.Totalram) * uint64(info.Unit))
	left := int64(256 << 20)
	n.write(fmt.Sprintf(`apiVersion: d-aros.dev/v1alpha1
kind: NodePlan
system: {memory: %d}
profiles: [{name: batch, memory: {reclaim: true}}]
workloads: [{name: batch, cgroup: %s, profile: batch, memory: {request: 16Mi}}]
`, total-total/20-left, n.name))
	stop := n.start()
	limit := func() string { return cgrouptest.Read(t, n.dir, "memory.limit_in_bytes") }
	n.eventually("it is bounded", func() bool {
		bytes, err := strconv.ParseInt(limit(), 10, 64)
		return err == nil && bytes <= left && bytes > left/2
	})
	n.eventually("the reason is said", func() bool { return strings.Contains(n.log.String(), "workloads that give way may have") })
	stop()
	require.Equal(t, "-1", qos.Normal("memory.limit_in_bytes", limit()))
}

// The kernel says when tasks begin to wait: nobody waits for the next tick.
func TestPressureWakesTheAgent(t *testing.T) {
	n := newNode(t)
	if err := armTrigger(triggers[len(triggers)-1]); err != nil {
		cgrouptest.Skip(t, "pressure of this host: %v", err)
	}
	n.write(n.batch(", limit: 500m"))
	n.cfg.Interval = time.Hour
	n.start()
	for range 3 {
		burning := cgrouptest.StartBurn(t, 120, n.dir)
		defer func() { _ = burning.Process.Signal(syscall.SIGTERM) }()
	}
	n.eventually("it is suppressed", func() bool { q := n.quota(); return q != "50000" && q != "-1" })
}

// An agent that is killed leaves the value of the moment. A service manager puts it right
// with one command, and so does the next agent, even if it has no plan.
func TestDeadManNeverStaysSuppressed(t *testing.T) {
	if os.Getenv("NODEAGENT_TEST_PLAN") != "" { // the process that is killed
		require.NoError(t, Run(t.Context(), Config{
			Plan: os.Getenv("NODEAGENT_TEST_PLAN"), StateDir: os.Getenv("NODEAGENT_TEST_STATE"), Root: cgrouptest.Root,
			Interval: 200 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		}))
		return
	}
	n := newNode(t)
	for _, limit := range []string{", limit: 500m", ""} {
		for name, restore := range map[string]func(want string){
			"command": func(want string) {
				_, err := Rest(n.cfg)
				require.NoError(t, err)
				require.Equal(t, want, n.quota())
			},
			"next agent": func(want string) {
				require.NoError(t, os.Remove(n.cfg.Plan))
				require.NoError(t, os.Remove(n.cfg.StateDir+"/"+planFile))
				stop := n.start()
				defer stop()
				n.eventuallyQuota(want)
			},
		} {
			n.write(n.batch(limit))
			cmd := exec.Command(os.Args[0], "-test.run=^TestDeadManNeverStaysSuppressed$")
			cmd.Env = append(os.Environ(), "NODEAGENT_TEST_PLAN="+n.cfg.Plan, "NODEAGENT_TEST_STATE="+n.cfg.StateDir)
			require.NoError(t, cmd.Start())
			n.eventually("it is suppressed", func() bool {
				quota, err := strconv.Atoi(n.quota())
				return err == nil && quota > 0 && quota < 50000
			})
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			require.NotContains(t, []string{"-1", "50000"}, n.quota())
			want := "50000"
			if limit == "" {
				want = "-1"
			}
			t.Log(name, want)
			restore(want)
			_, err := Release(n.cfg)
			require.NoError(t, err)
		}
	}
}
