//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/containerd/cgroups/v3"
	"github.com/containerd/cgroups/v3/cgroup2"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// On a hybrid host with cpu and io in v2, and memory in v1.
func TestV2(t *testing.T) {
	if cgrouptest.V2(t, false) {
		testV2(t)
	}
}

// The same where v2 is all there is to see.
func TestV2Unified(t *testing.T) {
	if cgrouptest.V2(t, true) {
		tree, err := Open(cgrouptest.Root)
		require.NoError(t, err)
		defer tree.Close()
		require.Equal(t, Unified, tree.Mode)
		require.Equal(t, cgroups.Unified, cgroups.Mode())
		testV2(t)
	}
}

func testV2(t *testing.T) {
	name := cgrouptest.Name(t)
	root := cgrouptest.Unified()
	capped := cgrouptest.Group(t, root, name+"/capped", "cpu", "io")
	calm := cgrouptest.Group(t, root, name+"/calm", "cpu", "io")
	var noisy []string
	r := newRig(t, cgrouptest.Root)
	require.Equal(t, qos.V2, r.tree.Controllers()["cpu"])
	workloads := []string{
		"cgroup: " + name + "/capped, profile: burstable, cpu: {request: 50m, limit: 50m}",
		"cgroup: " + name + "/calm, profile: guaranteed-pro, cpu: {request: 1, limit: 2}",
	}
	for _, n := range []string{"noisy1", "noisy2", "noisy3"} {
		noisy = append(noisy, cgrouptest.Group(t, root, name+"/"+n, "cpu", "io"))
		workloads = append(workloads, "cgroup: "+name+"/"+n+", profile: best-effort")
	}
	e := r.plan(workloads...)
	got := r.apply(e.Settings)
	require.Zero(t, states(got)[Refused], "%v", got)
	require.Equal(t, "5000 100000", cgrouptest.Read(t, capped, "cpu.max"))
	require.Equal(t, "5000", cgrouptest.Read(t, capped, "cpu.max.burst"))
	require.Equal(t, "1", cgrouptest.Read(t, noisy[0], "cpu.weight"))

	used := cgrouptest.Burn(t, 1, capped)[0].Seconds()
	require.Less(t, used, 0.05*1.15+0.05)
	manager, err := cgroup2.Load("/"+name+"/capped", cgroup2.WithMountpoint(root))
	require.NoError(t, err)
	stat, err := manager.Stat()
	require.NoError(t, err)
	require.NotZero(t, stat.CPU.NrThrottled, "the runtimes' own library sees it too")
	t.Logf("quota 0.05: used %.3f s of 1 s", used)

	if !testing.Short() { // it measures for seconds
		for _, dir := range noisy {
			cgrouptest.StartBurn(t, 4, dir)
		}
		require.Eventually(t, func() bool { return usage(t, noisy...) > 100*time.Millisecond }, 2*time.Minute, 10*time.Millisecond)
		before := usage(t, noisy...)
		used = cgrouptest.Burn(t, 2, calm)[0].Seconds()
		share := used / (used + (usage(t, noisy...) - before).Seconds())
		require.Greater(t, share, 0.9, "a guaranteed workload beside three noisy neighbours on its processor")
		t.Logf("guaranteed workload beside three noisy neighbours: %.1f %% of the processor", 100*share)
	}

	again := r.apply(e.Settings) // how many compete may have changed meanwhile
	require.Equal(t, states(again)[InForce]+states(again)[Missing], len(again), "%v", again)
	r.restart()
	back := r.apply(nil)
	require.NotZero(t, states(back)[Restored])
	require.Equal(t, "max 100000", cgrouptest.Read(t, capped, "cpu.max"))
	require.Equal(t, "100", cgrouptest.Read(t, calm, "cpu.weight"))
	require.Zero(t, r.journal.Len())
}

// usage returns the processor time that groups have used.
func usage(t *testing.T, dirs ...string) (sum time.Duration) {
	for _, dir := range dirs {
		var n int64
		_, err := fmt.Sscanf(cgrouptest.Read(t, dir, "cpu.stat"), "usage_usec %d", &n)
		require.NoError(t, err)
		sum += time.Duration(n) * time.Microsecond
	}
	return sum
}

// The mode is what the runtimes' library says it is.
func TestModeAgreesWithContainerd(t *testing.T) {
	tree, err := Open(cgrouptest.Root)
	if err != nil {
		cgrouptest.Skip(t, "open the cgroups of this host: %v", err)
	}
	defer tree.Close()
	want := map[cgroups.CGMode]Mode{cgroups.Legacy: Legacy, cgroups.Hybrid: Hybrid, cgroups.Unified: Unified}
	require.Equal(t, want[cgroups.Mode()], tree.Mode)
}

func TestLegacy(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	self, err := os.Executable()
	require.NoError(t, err)
	out, err := exec.Command("unshare", "-m", "--propagation", "private", "sh", "-c",
		`umount /sys/fs/cgroup/unified && exec "$@"`, "sh", self, "-test.run=^TestModeAgreesWithContainerd$", "-test.v").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS: TestModeAgreesWithContainerd")
}
