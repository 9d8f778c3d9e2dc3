package qos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func TestProcessorList(t *testing.T) {
	for _, c := range []struct {
		list, normal string
		n            int64
	}{
		{"0", "0", 1}, {"0,1", "0-1", 2}, {"7,0-2", "0-2,7", 4}, {"0-3,2-5,6", "0-6", 7}, {"5-2", "2-5", 4}, {"9999", "9999", 1},
	} {
		normal, n, ok := processorList(c.list)
		require.True(t, ok)
		require.Equal(t, c.normal, normal)
		require.Equal(t, c.n, n)
		require.Equal(t, normal, Normal("cpuset.cpus", c.list+"\n"))
	}
	for _, list := range []string{"", ",", "a", "1-", "-1", "1-2-3", "0 1", "10000", "0-9999999999999999999"} {
		_, _, ok := processorList(list)
		require.False(t, ok, list)
	}
}

// A set that is smaller than the reservation keeps a part of it, and the report says so.
func TestSmallSetReducesAReservation(t *testing.T) {
	w := Workload{Name: "db", Cgroup: "db", Profile: model.QoSProfile{CPU: model.QoSCPU{Set: "1"}}, Request: model.Resources{CPU: 2000}, Reserved: model.Resources{CPU: 2000}}
	e := Resolve(Plan{Workloads: []Workload{w}}, Host{CPU: 8000, Memory: 1 << 30, Page: 4096, Controllers: map[string]Version{"cpu": V2, "cpuset": V2}})
	for _, d := range e.Degradations {
		if d.Instead == "cpuset.cpus" {
			require.Equal(t, []Shortfall{{Workload: "db", Resource: "cpu", Promised: 2000, Kept: 1000, Reason: "the processors of the set are fewer"}}, d.ReducedBy())
			return
		}
	}
	t.Fatal("no degradation")
}
