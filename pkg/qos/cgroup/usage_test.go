//go:build linux

package cgroup

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// What a group used is read through a file that stays open, and never from a group that had the name before.
func TestUsedIsThatOfTheGroupThere(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t)
	dir := cgrouptest.Group(t, cgrouptest.Root+"/cpuacct", name)
	tree, err := Open(cgrouptest.Root)
	require.NoError(t, err)
	defer tree.Close()
	cgrouptest.Burn(t, 1, dir)
	for range 2 { // opened, then open
		used, _, _ := tree.Used(name)
		require.Greater(t, used, (50 * time.Millisecond).Microseconds())
	}
	require.NotEmpty(t, tree.glances.open)
	require.NoError(t, os.Remove(dir))
	used, _, known := tree.Used(name)
	require.Zero(t, used)
	require.False(t, known)
	require.NoError(t, os.Mkdir(dir, 0o755))
	used, _, known = tree.Used(name)
	require.Less(t, used, (50 * time.Millisecond).Microseconds())
	require.True(t, known)
	for range glanceUnread {
		tree.EndTurn()
	}
	require.NotEmpty(t, tree.glances.open)
	tree.EndTurn()
	tree.EndTurn()
	require.Empty(t, tree.glances.open, "nobody has read it meanwhile")
}

// The group of the same path in v2 tells on a hybrid host, if anything runs there.
func TestPressure(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t)
	dir := cgrouptest.Group(t, cgrouptest.Unified(), name)
	if _, err := os.ReadFile(dir + "/cpu.pressure"); err != nil {
		cgrouptest.Skip(t, "pressure of groups: %v", err)
	}
	tree, err := Open(cgrouptest.Root)
	require.NoError(t, err)
	defer tree.Close()
	require.Nil(t, tree.Pressure(name), "nothing runs in it")
	for range 3 {
		cgrouptest.StartBurn(t, 60, dir)
	}
	require.Eventually(t, func() bool {
		p := tree.Pressure(name)
		return p != nil && p.CPU > 1000 && p.CPU <= 10_000
	}, 2*time.Minute, 10*time.Millisecond, "three of them share a processor")
	cgrouptest.Remove(t, dir)
}

func TestAverage(t *testing.T) {
	text := "some avg10=12.34 avg60=0.10 avg300=0.00 total=5\nfull avg10=0.29 avg60=0.00 avg300=0.00 total=3\n"
	require.Equal(t, int64(1234), average(text, "some"))
	require.Equal(t, int64(29), average(text, "full"))
	require.Zero(t, average("", "some"))
}
