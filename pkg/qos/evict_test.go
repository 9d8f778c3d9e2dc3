package qos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// A host of 100 GiB is short below 5 and has ample memory above 15. After 30 s one workload is asked to end, for as long as memory
// is not ample, and the next one a minute later.
func TestEvictionIsTheLastStep(t *testing.T) {
	plan, host := giving("batch", "crawler"), hostOf(V2)
	host.Memory = 100 * gib
	var r Reaction
	at := int64(0)
	asked := func(seconds, free, batch, crawler int64) string {
		for range seconds {
			at += second
			r = r.Next(plan, host, Load{At: at, Free: free * gib, Used: map[string]Used{"web": {Memory: 20 * gib}, "batch": {Memory: batch * gib}, "crawler": {Memory: crawler * gib}}})
		}
		return r.Evict().Workload
	}
	require.Empty(t, asked(30, 4, 30, 20))
	require.Equal(t, "batch", asked(1, 4, 30, 20))
	require.Equal(t, "4Gi of 100Gi memory are free, and the host has been short for 30 s although workloads give way", r.Evict().Reason)
	require.Equal(t, 30*gib, r.Evict().Memory)
	require.Equal(t, "batch", asked(20, 4, 25, 26), "it is asked for until it ends, whoever has most now")
	require.Equal(t, "batch", asked(20, 10, 25, 20), "neither short nor ample: it stays")
	require.Empty(t, asked(1, 16, 25, 20))
	require.Empty(t, asked(30, 4, 25, 20), "it counts anew")
	require.Equal(t, "batch", asked(1, 4, 25, 20))
	require.Empty(t, asked(1, 4, 0, 20), "it has ended")
	require.Empty(t, asked(58, 4, 0, 20), "what has ended gives its memory back in a while")
	require.Equal(t, "crawler", asked(1, 4, 0, 20))
	r = r.Next(Plan{}, host, Load{At: at + second, Free: gib})
	require.Empty(t, r.Evict().Workload, "nobody gives way any more")
}

func TestWhoIsAskedToEnd(t *testing.T) {
	for name, c := range map[string]struct {
		change func(batch, crawler *Workload)
		want   string
	}{
		"most memory":          {func(_, _ *Workload) {}, "crawler"},
		"lower priority":       {func(b, c *Workload) { b.Priority, c.Priority = 1, 2 }, "batch"},
		"lower rank":           {func(b, c *Workload) { b.Priority, c.Priority, c.Profile.Rank, b.Profile.Rank = 1, 2, 3, 4 }, "crawler"},
		"beyond a reservation": {func(_, c *Workload) { c.Reserved = model.Resources{Memory: 15 * gib} }, "batch"},
		"nothing beyond":       {func(b, c *Workload) { b.Profile.Memory.Reclaim, c.Reserved.Memory = false, 20*gib }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			plan, host := giving("batch", "crawler"), hostOf(V2)
			c.change(&plan.Workloads[1], &plan.Workloads[2])
			load := Load{At: 40 * second, Stalled: 501, Free: 10 * host.Memory / 100, Used: map[string]Used{"batch": {Memory: 10 * gib}, "crawler": {Memory: 20 * gib}}}
			require.Equal(t, c.want, shortage{since: second}.evict(plan, host, load).asked.Workload)
		})
	}
}
