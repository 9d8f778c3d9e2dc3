//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// TestAReservationHoldsBesideTasks: seventeen processes that sit in a group beside the group of
// a reservation each compete like a group. They are counted, so the reservation holds.
func TestAReservationHoldsBesideTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short measures no shares of the processor")
	}
	cgrouptest.V1(t, "cpu")
	parent := cgrouptest.Name(t)
	beside := cgrouptest.Group(t, cgrouptest.Root+"/cpu", parent)
	holder := cgrouptest.Group(t, cgrouptest.Root+"/cpu", parent+"/holder")
	burners := []*exec.Cmd{burn(t, holder)}
	for range 17 {
		burners = append(burners, burn(t, beside))
	}
	for _, cmd := range burners {
		require.Eventually(t, func() bool { return usedBy(t, cmd) > 5*time.Millisecond }, 2*time.Minute, time.Millisecond)
	}
	without := shareOfFirst(t, burners)

	r := newRig(t, cgrouptest.Root)
	e := r.plan("cgroup: " + parent + "/holder, profile: guaranteed-pro, cpu: {request: 500m}")
	r.apply(e.Settings)
	with := shareOfFirst(t, burners)
	t.Logf("beside 17 processes: %.1f %% of the processor without, %.1f %% with a reservation", 100*without, 100*with)
	require.Less(t, without, 0.15)
	require.Greater(t, with, 0.45)
}

// burn starts a process in a group that keeps the first processor busy.
func burn(t *testing.T, dir string) *exec.Cmd {
	cmd := cgrouptest.Command("ulimit -t 120; exec taskset -c 0 sh -c 'while :; do :; done'", dir) // the limit ends it if the test cannot
	require.NoError(t, cmd.Start())
	require.NoError(t, unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, 0)) // whatever that of the test is
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// shareOfFirst returns which part the first of several processes has of the time that all of
// them get, over a second of it.
func shareOfFirst(t *testing.T, all []*exec.Cmd) float64 {
	used := func() (first, sum time.Duration) {
		for i, cmd := range all {
			n := usedBy(t, cmd)
			if sum += n; i == 0 {
				first = n
			}
		}
		return first, sum
	}
	first, sum := used()
	var share float64
	require.Eventually(t, func() bool {
		nowFirst, nowSum := used()
		share = float64(nowFirst-first) / float64(nowSum-sum)
		return nowSum-sum >= time.Second
	}, 2*time.Minute, 10*time.Millisecond)
	return share
}

// usedBy returns the processor time that a process has used.
func usedBy(t *testing.T, cmd *exec.Cmd) time.Duration {
	var clock unix.Timespec
	require.NoError(t, unix.ClockGettime(int32(^cmd.Process.Pid<<3|2), &clock)) // the CPU-time clock of the process
	return time.Duration(clock.Nano())
}

// What is counted leaves room above, and goes down after it was too high for a while.
func TestCrowdsAreCountedCalmly(t *testing.T) {
	var c crowd
	require.Equal(t, int64(20), c.see(16))
	require.Equal(t, int64(20), c.see(20))
	require.Equal(t, int64(26), c.see(21))
	for range calm - 1 {
		require.Equal(t, int64(26), c.see(3))
	}
	require.Equal(t, int64(26), c.see(14), "half of it is enough to stay")
	for range calm - 1 {
		require.Equal(t, int64(26), c.see(3))
	}
	require.Equal(t, int64(3), c.see(3))
	self, kernel := threadsOf(fmt.Sprint(os.Getpid()))
	require.Greater(t, self, int64(1))
	require.False(t, kernel)
	_, kernel = threadsOf("2")
	require.True(t, kernel, "kthreadd")
}
