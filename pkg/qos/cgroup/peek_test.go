//go:build linux

package cgroup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// Files that stay open between passes hide nothing: neither what others write, nor that a group
// is another one.
func TestOpenFilesHideNothing(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t)
	dir := cgrouptest.Group(t, cgrouptest.Root+"/cpu", name+"/web")
	r := newRig(t, cgrouptest.Root)
	e := r.plan("cgroup: " + name + "/web, profile: burstable, cpu: {request: 100m, limit: 500m}")
	state := func() State { return r.apply(e.Settings)[name+"/web/cpu.cfs_quota_us"].State }
	require.Equal(t, Written, state())
	require.Equal(t, InForce, state())
	require.NotEmpty(t, r.tree.peeked)
	require.Equal(t, InForce, state())

	cgrouptest.Write(t, dir, "cpu.cfs_burst_us", "0")
	cgrouptest.Write(t, dir, "cpu.cfs_quota_us", "90000")
	got := r.apply(e.Settings)[name+"/web/cpu.cfs_quota_us"]
	require.Equal(t, Written, got.State)
	require.True(t, got.Drift)
	require.Equal(t, InForce, state())

	require.NoError(t, os.Remove(dir))
	require.Equal(t, Waiting, state())
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.Equal(t, Written, state(), "it is a new group")
	require.Equal(t, InForce, state())

	aside := filepath.Join(filepath.Dir(dir), "aside")
	require.NoError(t, os.Rename(dir, aside))
	t.Cleanup(func() { cgrouptest.Remove(t, aside) })
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.Equal(t, Written, state(), "the files are those of a group with another name")
	require.Equal(t, "50000", cgrouptest.Read(t, dir, "cpu.cfs_quota_us"))

	r.apply(nil)
	require.Empty(t, r.tree.peeked, "what nobody wants is closed")
}
