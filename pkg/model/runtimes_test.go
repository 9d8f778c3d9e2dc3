package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRunTimesAreLearned: of the last twenty runs of a shape, from three on, nine of ten took at most the estimate.
func TestRunTimesAreLearned(t *testing.T) {
	job := &Component{Name: "train", Type: "job", Replicas: 1, Requests: Resources{CPU: 1000}}
	inst := &Instance{Spec: &Application{Components: []Component{*job}}}
	estimate := func() time.Duration {
		r, ok := inst.RuntimesOf(job)
		require.True(t, ok)
		return r.Estimate()
	}
	for n := range 2 {
		inst.NoteRuntime(job, time.Duration(n+1)*time.Minute)
		require.Zero(t, estimate())
	}
	inst.NoteRuntime(job, 30*time.Second)
	require.Equal(t, 2*time.Minute, estimate(), "of three the longest")
	for n := range 12 {
		inst.NoteRuntime(job, time.Duration(n+1)*10*time.Minute)
	}
	for range 7 {
		inst.NoteRuntime(job, time.Minute)
	}
	r, _ := inst.RuntimesOf(job)
	require.Len(t, r.Took, RuntimeLimit)
	require.Equal(t, 100*time.Minute, estimate(), "two of twenty took longer: 110 and 120 minutes")

	wider := *job
	wider.Requests.CPU = 2000
	_, ok := inst.RuntimesOf(&wider)
	require.False(t, ok, "another shape")
	for cpu := range int64(5) {
		wider.Requests.CPU = 3000 + cpu
		inst.NoteRuntime(&wider, time.Minute)
	}
	require.Len(t, inst.Runtimes, RuntimeShapes)

	before := inst.Runtimes[RuntimeShapes-1].Took
	inst.Runtimes[RuntimeShapes-1].Took = []int{60, -60, 60}
	r, _ = inst.RuntimesOf(&wider)
	require.False(t, r.Usable())
	require.Zero(t, r.Estimate(), "edited by hand")
	inst.NoteRuntime(&wider, time.Minute)
	r, _ = inst.RuntimesOf(&wider)
	require.Equal(t, []int{60}, r.Took, "learned anew")
	require.Equal(t, []int{60}, before, "records are values")
}
