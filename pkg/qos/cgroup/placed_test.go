//go:build linux

package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// A workload runs on the processors of its set, on v1.
func TestProcessorSetV1(t *testing.T) {
	cgrouptest.V1(t, "cpuset")
	name := cgrouptest.Name(t)
	dir := cgrouptest.Group(t, cgrouptest.Root+"/cpuset", name)
	cgrouptest.Write(t, dir, "cpuset.mems", "0")
	testProcessorSet(t, name, dir)
}

// The same on v2, where a group that says nothing has the processors of its parent.
func TestProcessorSetV2(t *testing.T) {
	if !cgrouptest.V2(t, false) {
		return
	}
	name := cgrouptest.Name(t)
	testProcessorSet(t, name, cgrouptest.Group(t, cgrouptest.Unified(), name, "cpu", "cpuset"))
}

func testProcessorSet(t *testing.T, name, dir string) {
	const field = "Cpus_allowed_list"
	r := newRig(t, cgrouptest.Root)
	if data, err := os.ReadFile("/sys/devices/system/cpu/online"); err != nil || strings.TrimSpace(string(data)) == "0" {
		cgrouptest.Skip(t, "a set needs a second processor: %v", err)
	}
	e := r.plan("cgroup: " + name + ", profile: placed")
	for _, want := range []State{Written, InForce} {
		require.Equal(t, want, r.apply(e.Settings)[name+"/cpuset.cpus"].State)
	}
	out, err := cgrouptest.Command("grep "+field+" /proc/self/status", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, []string{field + ":", "1"}, strings.Fields(string(out)))
	require.Equal(t, Restored, r.apply(nil)[name+"/cpuset.cpus"].State)
	require.Empty(t, cgrouptest.Read(t, dir, "cpuset.cpus"))
}

// Huge pages are bounded where their controller lives.
func TestHugePages(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	r := newRig(t, cgrouptest.Root)
	if r.tree.Controllers()["hugetlb"] != qos.V2 {
		cgrouptest.Skip(t, "the hugetlb controller is not in cgroup v2 of this host")
	}
	name := cgrouptest.Name(t)
	t.Cleanup(func() {
		_ = os.WriteFile(filepath.Join(cgrouptest.Unified(), "cgroup.subtree_control"), []byte("-hugetlb"), 0)
	})
	dir := cgrouptest.Group(t, cgrouptest.Unified(), name, "hugetlb")
	e := r.plan("cgroup: " + name + ", profile: placed")
	require.Equal(t, Written, r.apply(e.Settings)[name+"/hugetlb.2MB.max"].State)
	require.Equal(t, "4194304", cgrouptest.Read(t, dir, "hugetlb.2MB.max"))
	back := r.apply(nil)[name+"/hugetlb.2MB.max"]
	require.Equal(t, Restored, back.State, back.Reason)
	require.Equal(t, "max", cgrouptest.Read(t, dir, "hugetlb.2MB.max"))
}

// A controller that does not reach a group is said with the file in which it has to be.
func TestControllerThatDoesNotReachTheGroup(t *testing.T) {
	if !cgrouptest.V2(t, false) {
		return
	}
	name := cgrouptest.Name(t)
	above := cgrouptest.Group(t, cgrouptest.Unified(), name, "cpu")
	cgrouptest.Group(t, cgrouptest.Unified(), name+"/web")
	r := newRig(t, cgrouptest.Root)
	settings := []qos.Setting{{Cgroup: name + "/web", File: "cpu.weight", Value: "200", Workload: "web"}}
	got := r.apply(settings)[name+"/web/cpu.weight"]
	require.Equal(t, Missing, got.State)
	require.Contains(t, got.Reason, "write +cpu to "+above+"/cgroup.subtree_control")
	cgrouptest.Write(t, above, "cgroup.subtree_control", "+cpu")
	require.Equal(t, Written, r.apply(settings)[name+"/web/cpu.weight"].State, "it is looked for in each pass")
}
