//go:build linux

package pool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// On a machine without threads nobody is to blame: evaluations wait, longer each time, and are made when it has some.
func TestNoThreads(t *testing.T) {
	cgrouptest.V1(t, "pids")
	group := cgrouptest.Group(t, cgrouptest.Root+"/pids", cgrouptest.Name(t))
	cgrouptest.Write(t, group, "pids.max", "2")
	p := open(t, Options{Command: []string{"sh", "-c", "echo $$ > '" + group + "/cgroup.procs' && exec '" + program + "' evaluate"}})
	one := one(p)
	e := evaluate.Through(one)
	files := fleetOf(1, "acme")
	f := e.Fleet("c", files, nil)
	require.Nil(t, f.Platform)
	require.Equal(t, "DA1015", f.Problems[0].Code)
	require.Contains(t, f.Problems[0].Message, "the machine has no more threads for an evaluation")
	require.False(t, e.Settled())

	cgrouptest.Write(t, group, "pids.max", "max")
	require.Nil(t, e.Fleet("c", files, nil).Platform, "it waits")
	for key := range p.books.failures {
		require.True(t, p.forgiven(key))
	}
	require.Empty(t, e.Fleet("c", files, nil).Problems)
}
