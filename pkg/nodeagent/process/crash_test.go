//go:build linux

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// marked counts the programs with a text in their command line. A child that a program has forked and that is not yet another
// program has its command line, too, and is not counted.
func marked(t *testing.T, mark string) (n int) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	says := func(name string) bool {
		data, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(data), mark)
	}
	for _, name := range names {
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(name), "stat"))
		_, after, ok := strings.Cut(string(stat), ") ") // the parent is the second field behind the name
		if fields := strings.Fields(after); err == nil && ok && len(fields) > 1 && says(name) && !says("/proc/"+fields[1]+"/cmdline") {
			n++
		}
	}
	return n
}

// TestKilledAnywhere kills the agent between any two of its steps, while it starts, changes and
// stops replicas. The next one finds what runs, starts nothing twice, and leaves nothing.
func TestKilledAnywhere(t *testing.T) {
	s := newSite(t)
	crashed, stride := 0, 1
	if testing.Short() {
		stride = 6
	}
	for n := 1; ; n += stride {
		died := false
		for round, w := range [][]hostplan.Workload{{work("web", 2, ": mark-one; "+forever)}, {work("web", 2, ": mark-two; "+forever)}, {}} {
			s.plan(w...)
			cmd := s.start(crashAt + "=" + strconv.Itoa(n))
			done := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(done)
			}()
			settled := func() bool {
				r := s.report()
				if r.Generation != s.generation || len(r.Processes) != []int{2, 2, 0}[round] {
					return false
				}
				for _, p := range r.Processes {
					if p.State != hostplan.Running || p.Digest != w[0].Digest {
						return false
					}
				}
				return true
			}
			require.Eventually(t, func() bool {
				select {
				case <-done:
					return true
				default:
					return settled()
				}
			}, patience, 5*time.Millisecond)
			select {
			case <-done:
				died = true
				s.start()
				require.Eventually(t, settled, patience, 5*time.Millisecond, "step %d, round %d: %+v", n, round, s.report())
			default:
				_ = cmd.Process.Kill()
				<-done
			}
			// What the agent started at its last step may not be its program yet, on a busy machine.
			require.Eventually(t, func() bool {
				return marked(t, ": mark-one") == []int{2, 0, 0}[round] && marked(t, ": mark-two") == []int{0, 2, 0}[round]
			}, patience, 5*time.Millisecond, "step %d, round %d: what runs is what is wanted, and nothing twice", n, round)
			s.stop()
		}
		groups, err := filepath.Glob(filepath.Join(cgrouptest.Root, "*", s.Host.Cgroup, "p*.acme.*"))
		require.NoError(t, err)
		require.Empty(t, groups, "step %d", n)
		if !died {
			break
		}
		crashed++
	}
	t.Logf("killed at %d steps", crashed)
	require.Greater(t, crashed*stride, 10)
}

// TestAdopted: processes outlive the agent, and the next one tells how they end.
func TestAdopted(t *testing.T) {
	s := newSite(t)
	first := s.start()
	s.plan(work("code", 1, "trap 'exit 7' USR1; while :; do sleep 1000 & wait; done"), work("away", 1, forever), work("signal", 1, "exec sleep 1000"))
	before := s.untilStates(hostplan.Running, hostplan.Running, hostplan.Running)
	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	away := before.Processes[0].PID
	require.NoError(t, syscall.Kill(away, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", away))
		return err != nil || strings.Contains(string(data), ") Z ")
	}, patience, 5*time.Millisecond)
	s.start()
	after := s.until("what ended meanwhile runs again", func(r hostplan.Report) bool {
		return len(r.Processes) == 3 && r.Processes[0].Restarts == 1 && r.Processes[0].State == hostplan.Running
	})
	require.Equal(t, before.Processes[1].PID, after.Processes[1].PID)
	require.Equal(t, before.Processes[2].PID, after.Processes[2].PID)
	require.NoError(t, syscall.Kill(after.Processes[1].PID, syscall.SIGUSR1))
	require.NoError(t, syscall.Kill(after.Processes[2].PID, syscall.SIGKILL))
	ended := s.until("the ends of the adopted are told", func(r hostplan.Report) bool {
		return len(r.Processes) == 3 && r.Processes[1].Restarts == 1 && r.Processes[2].Restarts == 1
	})
	require.True(t, ended.Processes[1].Exit.Code == 7 || ended.Processes[1].Exit.Unknown, "%+v", ended.Processes[1].Exit)
	require.True(t, ended.Processes[2].Exit.Signal == 9 || ended.Processes[2].Exit.Unknown)
	t.Logf("the kernel tells how the processes of others end: %v", !ended.Processes[1].Exit.Unknown)
}
