package qos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A host of 100 GiB is short below 5. Five seconds later each workload that gives memory back is asked for a tenth of what it
// has, of which the kernel takes less than that from the crawler: it is left alone for 5, 10, 20, 40 and 80 seconds then.
func TestMemoryIsTakenWithBackOff(t *testing.T) {
	plan, host := giving("batch", "crawler"), hostOf(V2)
	plan.Workloads[2].Reserved.Memory = 10 * gib
	host.Memory = 100 * gib
	var r Reaction
	at := int64(0)
	look := func(free int64, spared bool) (said string) {
		at += second
		load := Load{At: at, Free: free * gib, Used: map[string]Used{"web": {Memory: 50 * gib}, "batch": {Memory: 4 * gib}, "crawler": {Memory: 10*gib + 300<<20}}}
		if spared {
			load.Spared = map[string]bool{"crawler": true}
		}
		r = r.Next(plan, host, load)
		for _, s := range r.Squeezes {
			require.Equal(t, s.Workload, s.Cgroup)
			said += fmt.Sprintf("%s %d MiB ", s.Workload, s.Bytes>>20)
		}
		return said
	}
	require.Empty(t, look(50, false))
	for range 5 {
		require.Empty(t, look(4, false), "the bound has its effect first")
	}
	require.Equal(t, "batch 409 MiB crawler 30 MiB ", look(4, false))
	var crawler []int64
	spared := true
	for range 170 {
		switch began := at; look(4, spared) {
		case "batch 409 MiB crawler 30 MiB ", "crawler 30 MiB ":
			crawler = append(crawler, began+second-7*second)
			spared = true
		default:
			spared = false
		}
	}
	require.Equal(t, []int64{10 * second, 30 * second, 70 * second, 150 * second}, crawler)
	require.Empty(t, look(20, false))
	for range 5 {
		require.Empty(t, look(4, false), "it counts anew")
	}
	require.NotEmpty(t, look(4, false))
	r = Reaction{}
	for range 20 {
		at += second
		r = r.Next(plan, hostOf(V1), Load{At: at, Used: map[string]Used{"batch": {Memory: gib}}})
		require.Empty(t, r.Squeezes, "v1 cannot")
	}
}
