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

// Weights act where iocost is on for a disk, and the plan says so where it is not. It is only for a guest: nobody switches iocost
// on for the disk of a machine that has other work.
func TestWeightsOfDisks(t *testing.T) {
	cgrouptest.MemoryV2(t)
	name := cgrouptest.Name(t)
	cgrouptest.Group(t, cgrouptest.Root, name, "cpu", "io")
	r := newRig(t, cgrouptest.Root)
	weightless := func() bool {
		e := r.plan("cgroup: " + name + ", profile: guaranteed, cpu: {request: 100m}")
		return slices.ContainsFunc(e.Degradations, func(d qos.Degradation) bool { return d.Promise == "io.weight" })
	}
	require.True(t, weightless())
	disk := diskNumbers()[0]
	t.Cleanup(func() { cgrouptest.Write(t, cgrouptest.Root, "io.cost.qos", disk+" enable=0") })
	cgrouptest.Write(t, cgrouptest.Root, "io.cost.qos", disk+" enable=1")
	require.False(t, weightless())
}
