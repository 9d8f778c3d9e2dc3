//go:build linux

package nodeagent

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// A turn of the loop in which nothing changes but what workloads use, which is nearly all of them: at an
// interval of one second its cpu-ns are billionths of a processor. In each group something lives, because what
// nobody is in waits for nothing.
func BenchmarkSteadyTurn(b *testing.B) {
	for _, groups := range []int{10, 110, 500} {
		b.Run(fmt.Sprint(groups), func(b *testing.B) {
			cgrouptest.V1(b, "cpu", "memory")
			doc := "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n"
			for i := range groups {
				path := fmt.Sprintf("%s/t%d/w%d", cgrouptest.Name(b), i%10, i)
				var dirs []string
				for _, hierarchy := range []string{"cpu", "cpuacct", "memory", "unified"} { // of the last three usage is read
					dirs = append(dirs, cgrouptest.Group(b, cgrouptest.Root+"/"+hierarchy, path))
				}
				lives(b, dirs...)
				doc += fmt.Sprintf("- {name: w%d, cgroup: %s, profile: burstable, cpu: {request: 100m, limit: 200m}}\n", i, path)
			}
			cfg := Config{Plan: filepath.Join(b.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: b.TempDir(), Interval: time.Second, Log: slog.New(slog.DiscardHandler)}
			require.NoError(b, os.WriteFile(cfg.Plan, []byte(doc), 0o600))
			a, err := open(cfg, false)
			require.NoError(b, err)
			defer a.close()
			_, stop := a.arrivals.start(cfg.Log)
			defer stop()
			require.NoError(b, a.pass(b.Context(), false))
			require.Equal(b, groups*4, len(a.report.Outcomes))
			before := used(b)
			for b.Loop() {
				a.meter.at = time.Time{} // as if a second had passed
				if err := a.pass(b.Context(), false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op") // the wall clock also counts other load
		})
	}
}

// lives starts a process in groups that does nothing until they are removed.
func lives(b *testing.B, dirs ...string) {
	cmd := cgrouptest.Command("exec sleep 3600", dirs...)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// used returns the processor time of this process so far.
func used(b *testing.B) time.Duration {
	var r unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
