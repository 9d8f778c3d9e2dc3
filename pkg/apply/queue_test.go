package apply

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSlowTenantDoesNotDelayOthers holds every job of one tenant until all
// other tenants are through.
func TestSlowTenantDoesNotDelayOthers(t *testing.T) {
	others := make(chan struct{})
	var left atomic.Int64
	left.Store(50)
	jobs := func(n int, do job) []func() []job {
		return []func() []job{func() []job {
			var all []job
			for range n {
				all = append(all, do)
			}
			return all
		}}
	}
	turns := []*turn{
		{tenant: "slow", steps: jobs(500, func(context.Context) { <-others })},
		{tenant: "slow", steps: jobs(500, func(context.Context) { <-others })},
	}
	for i := range 50 {
		turns = append(turns, &turn{tenant: fmt.Sprint(i), steps: jobs(1, func(context.Context) {
			if left.Add(-1) == 0 {
				close(others)
			}
		})})
	}
	run(t.Context(), 4, turns)
	require.Zero(t, left.Load())
}

// TestTenantGetsHalfOfTheWorkers while another one has something to do.
func TestTenantGetsHalfOfTheWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 9).Draw(t, "workers")
		var left, running [2]atomic.Int64
		var broken atomic.Bool
		var turns []*turn
		for tenant := range left {
			n := rapid.IntRange(1, 30).Draw(t, "jobs")
			left[tenant].Store(int64(n))
			for range n {
				turns = append(turns, &turn{tenant: fmt.Sprint(tenant), steps: []func() []job{func() []job {
					return []job{func(context.Context) {
						now := running[tenant].Add(1)
						runtime.Gosched()
						if left[1-tenant].Load() > 0 && now > int64(max(1, workers/2)) {
							broken.Store(true)
						}
						running[tenant].Add(-1)
						left[tenant].Add(-1)
					}}
				}}})
			}
		}
		run(context.Background(), workers, turns)
		require.False(t, broken.Load())
		require.Zero(t, left[0].Load()+left[1].Load())
	})
}

func TestQueueDoesEverythingOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var mu sync.Mutex
		done := map[string]int{}
		var turns []*turn
		want := 0
		for i := range rapid.IntRange(0, 12).Draw(t, "turns") {
			tr := &turn{tenant: fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "tenant"))}
			inStep := 0 // jobs done of the turn
			before := 0
			for s := range rapid.IntRange(0, 4).Draw(t, "steps") {
				n := rapid.IntRange(0, 5).Draw(t, "jobs")
				must := before
				before += n
				tr.steps = append(tr.steps, func() []job {
					var all []job
					for j := range n {
						all = append(all, func(context.Context) {
							mu.Lock()
							defer mu.Unlock()
							if inStep < must {
								t.Errorf("step %d began before the one before was done", s)
							}
							inStep++
							done[fmt.Sprint(i, s, j)]++
						})
					}
					return all
				})
				want += n
			}
			turns = append(turns, tr)
		}
		run(context.Background(), rapid.IntRange(1, 6).Draw(t, "workers"), turns)
		if len(done) != want {
			t.Fatalf("%d of %d jobs were done", len(done), want)
		}
		for name, n := range done {
			if n != 1 {
				t.Fatalf("%s was done %d times", name, n)
			}
		}
	})
}
