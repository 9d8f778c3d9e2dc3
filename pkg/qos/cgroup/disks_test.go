//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// A ceiling for disks and one for tasks hold on v1, and go when the plan lets go.
func TestDisksV1(t *testing.T) {
	cgrouptest.V1(t, "blkio", "pids")
	name := cgrouptest.Name(t)
	testDisks(t, "blkio.throttle.read_bps_device", name,
		cgrouptest.Group(t, cgrouptest.Root+"/blkio", name), cgrouptest.Group(t, cgrouptest.Root+"/pids", name))
}

// The same on v2.
func TestDisksV2(t *testing.T) {
	if !cgrouptest.V2(t, false) {
		return
	}
	name := cgrouptest.Name(t)
	dir := cgrouptest.Group(t, cgrouptest.Unified(), name, "cpu", "io", "pids")
	testDisks(t, "io.max", name, dir, dir)
	e := newRig(t, cgrouptest.Root).plan("cgroup: " + name + ", profile: slow")
	if _, err := os.Stat(filepath.Join(dir, "io.latency")); err != nil {
		require.Contains(t, fmt.Sprint(e.Degradations), "CONFIG_BLK_CGROUP_IOLATENCY")
		require.NotContains(t, fmt.Sprint(e.Settings), "io.latency")
	} else {
		require.Contains(t, fmt.Sprint(e.Settings), "io.latency")
	}
}

func testDisks(t *testing.T, file, name, io, pids string) {
	if testing.Short() {
		t.Skip("-short measures no disks")
	}
	r := newRig(t, cgrouptest.Root)
	large := filepath.Join(cgrouptest.OnDisk(t), "large")
	out, err := cgrouptest.Command("dd if=/dev/zero of=" + large + " bs=1M count=8 oflag=direct").CombinedOutput()
	require.NoError(t, err, "%s", out)

	e := r.plan("cgroup: " + name + ", profile: slow")
	got := r.apply(e.Settings)
	require.Zero(t, states(got)[Refused], "%v", got)
	require.Contains(t, cgrouptest.Read(t, io, file), "10485760")
	again := r.apply(e.Settings)
	require.Equal(t, states(again)[InForce]+states(again)[Missing]+states(again)[Waiting], len(again), "%v", again)

	for _, way := range []string{"if=" + large + " of=/dev/null iflag=direct", "if=/dev/zero of=" + large + " conv=notrunc oflag=direct"} {
		began := time.Now()
		out, err = cgrouptest.Command("dd bs=1M count=8 "+way, io).CombinedOutput()
		require.NoError(t, err, "%s", out)
		took := time.Since(began)
		require.Greater(t, took, time.Second/2, "8 MiB at 10 MiB in a second: %s", way)
		t.Logf("8 MiB at 10 MiB in a second took %s: %s", took.Round(10*time.Millisecond), way)
	}
	out, err = cgrouptest.Command("sleep .2 & sleep .2 & sleep .2 & sleep .2 & wait", pids).CombinedOutput()
	require.Error(t, err)
	require.Regexp(t, "(?i)fork", string(out), "the fourth process is refused")

	r.restart()
	require.NotZero(t, states(r.apply(nil))[Restored])
	require.Empty(t, cgrouptest.Read(t, io, file))
	require.Equal(t, "max", cgrouptest.Read(t, pids, "pids.max"))
	require.Zero(t, r.journal.Len())
}

// Weights act where iocost is on for a disk, the plan says so where it is not, and the agent switches it on for a disk whose costs
// are known, and off again. It is only for a guest: nobody switches iocost on for the disk of a machine that has other work.
func TestWeightsOfDisks(t *testing.T) {
	cgrouptest.MemoryV2(t)
	name, disk := cgrouptest.Name(t), diskNumbers()[0]
	heavy := cgrouptest.Group(t, cgrouptest.Root, name+"/heavy", "cpu", "io")
	light := cgrouptest.Group(t, cgrouptest.Root, name+"/light", "cpu", "io")
	r := newRig(t, cgrouptest.Root)
	plan := func() qos.Enforcement {
		return r.plan("cgroup: "+name+"/heavy, profile: guaranteed-pro", "cgroup: "+name+"/light, profile: burstable")
	}
	weightless := func() bool {
		return slices.ContainsFunc(plan().Degradations, func(d qos.Degradation) bool { return d.Promise == "io.weight" })
	}
	require.True(t, weightless())
	file := filepath.Join(cgrouptest.OnDisk(t), "read")
	out, err := cgrouptest.Command("dd if=/dev/zero of=" + file + " bs=1M count=16 oflag=direct").CombinedOutput()
	require.NoError(t, err, "%s", out)

	cost, err := qos.ParseDiskCost(disk + " rbps=4000000 rseqiops=250 rrandiops=250 wbps=4000000 wseqiops=250 wrandiops=250")
	require.NoError(t, err)
	r.costs = []qos.DiskCost{cost}
	got := r.apply(plan().Settings)
	require.Zero(t, states(got)[Refused], "%v", got)
	require.False(t, weightless())
	again := r.apply(plan().Settings)
	require.Equal(t, len(again), states(again)[InForce], "%v", again)

	for _, dir := range []string{heavy, light} {
		for range 4 {
			cmd := cgrouptest.Command("while dd if="+file+" of=/dev/null bs=16k iflag=direct 2>/dev/null; do :; done", dir)
			require.NoError(t, cmd.Start())
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
		}
	}
	read := func(group string) int64 { a, _ := r.tree.Accessed(name + "/" + group); return a.Bytes }
	reading := func(from [2]int64) func() bool {
		return func() bool {
			return read("heavy") > from[0] && read("light") > from[1] && read("heavy")+read("light") > from[0]+from[1]+32*mib
		}
	}
	require.Eventually(t, func() bool { return read("heavy") > 0 && read("light") > 0 }, time.Minute, time.Millisecond)
	began := [2]int64{read("heavy"), read("light")}
	require.Eventually(t, reading(began), 2*time.Minute, 10*time.Millisecond)
	share := float64(read("heavy")-began[0]) / float64(read("light")-began[1])
	t.Logf("weights of 500 and 100 share a disk %.2f : 1", share)
	require.Greater(t, share, 2.5, "without weights it is 1")

	r.restart()
	back := r.apply(nil)
	require.Equal(t, Restored, back["/io.cost.qos"].State, "%v", back)
	require.NotContains(t, cgrouptest.Read(t, cgrouptest.Root, "io.cost.qos"), "enable=1")
	require.Zero(t, r.journal.Len())
	require.True(t, weightless())
}
