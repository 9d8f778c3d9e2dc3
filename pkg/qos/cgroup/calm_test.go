//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// TestEachGroupHasItsTurn: of many groups at rest a pass looks at some, and what others do to any of them is still found
// within a few passes, in all groups at once.
func TestEachGroupHasItsTurn(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t)
	var settings []qos.Setting
	var dirs []string
	for i := range 2*mostLooked + 10 {
		group := fmt.Sprintf("%s/w%03d", name, i)
		dirs = append(dirs, cgrouptest.Group(t, cgrouptest.Root+"/cpu", group))
		settings = append(settings, qos.Setting{Cgroup: group, File: "cpu.shares", Value: "77"})
	}
	r := newRig(t, cgrouptest.Root)
	require.Equal(t, Written, r.apply(settings)[settings[0].Cgroup+"/cpu.shares"].State)
	rest := func() {
		for range calmAfter + 2 {
			r.apply(settings)
		}
		require.NotNil(t, r.tree.calm.last)
	}
	// found returns after how many passes a change of a group is made good.
	found := func(i int) int {
		for n := 1; n <= 4; n++ {
			if o := r.apply(settings)[settings[i].Cgroup+"/cpu.shares"]; o.State != InForce {
				require.Equal(t, Written, o.State)
				return n
			}
		}
		return 0
	}
	rest()
	before := r.disk
	for i := range dirs {
		cgrouptest.Write(t, dirs[i], "cpu.shares", "1024")
	}
	require.Equal(t, 1, found(0))
	for i := range dirs {
		require.Equal(t, "77", cgrouptest.Read(t, dirs[i], "cpu.shares"), "one that differs lets all be looked at")
	}
	for _, i := range []int{0, mostLooked, 2*mostLooked + 9} {
		rest()
		cgrouptest.Write(t, dirs[i], "cpu.shares", "1024")
		require.NotZero(t, found(i), "group %d is never looked at", i)
		require.Equal(t, "77", cgrouptest.Read(t, dirs[i], "cpu.shares"))
	}
	rest()
	require.Equal(t, string(before), string(r.disk), "originals stay")
	last := len(dirs) - 1
	require.NoError(t, os.Remove(dirs[last]))
	waits := func() (n int) {
		for n = 1; r.apply(settings)[settings[last].Cgroup+"/cpu.shares"].State != Waiting && n < 5; n++ {
		}
		return n
	}
	require.Less(t, waits(), 5)
	rest()
	require.NoError(t, os.Mkdir(dirs[last], 0o755))
	require.Equal(t, 1, found(last), "a group that is waited for is looked for in each pass")
	rest()
	require.NoError(t, os.Remove(dirs[mostLooked]))
	require.NoError(t, os.Mkdir(dirs[mostLooked], 0o755))
	r.tree.LookAtAll()
	require.Equal(t, 1, found(mostLooked), "a new group of the name of one at rest")
	rest()
	settings = slices.Clone(settings)
	settings[3].Value = "78"
	require.Equal(t, 1, found(3), "another plan is in force at once")
}
