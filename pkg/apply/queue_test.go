package apply

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
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
	run(t.Context(), 4, turns, prompt)
	require.Zero(t, left.Load())
}

// run does all turns with a number of workers.
func run(ctx context.Context, workers int, turns []*turn, late func(tenant string) int) {
	q := newQueue(workers, late)
	var left sync.WaitGroup
	for _, t := range turns {
		left.Add(1)
		t.ctx, t.ended = ctx, left.Done
	}
	q.add(turns...)
	left.Wait()
	q.jobs.Wait()
}

// prompt: every request is answered.
func prompt(string) int { return 0 }

// TestNobodyWaitsTwice: once a request of a tenant had no answer, no further ones are begun while
// as many are under way as may have none. A pass would wait for them for as long again.
func TestNobodyWaitsTwice(t *testing.T) {
	for _, c := range []struct {
		running, late int
		alone, begins bool
	}{
		{7, 0, true, true}, {3, 0, false, true}, {4, 0, false, false},
		{7, 1, true, false}, {3, 1, true, false}, {2, 1, true, true}, {1, 3, true, false}, {0, 3, true, true},
		{0, 8, true, true}, {1, 8, true, false}, // it is told so, one after the other
	} {
		one := func() []job { return []job{func(context.Context) {}} }
		slow := &lane{tenant: "slow", running: c.running, turns: []*turn{{ctx: t.Context(), tenant: "slow", steps: []func() []job{one}}}}
		q := newQueue(8, func(string) int { return c.late })
		q.lanes = []*lane{slow}
		if !c.alone {
			q.lanes = append(q.lanes, &lane{tenant: "other", turns: []*turn{{ctx: t.Context(), tenant: "other", running: 1}}})
		}
		_, next := q.pick()
		require.Equal(t, c.begins, next != nil, "%+v", c)
	}
}

// TestWorkersComeBack: when the late requests of a tenant have ended, it has all workers again.
func TestWorkersComeBack(t *testing.T) {
	var late, running atomic.Int64
	late.Store(2)
	several := make(chan struct{})
	first := func(context.Context) { late.Store(0) }
	rest := func(context.Context) {
		if running.Add(1) == 2 {
			close(several)
		}
		<-several // a worker that is left alone waits for ever
	}
	run(t.Context(), 4, []*turn{{tenant: "slow", steps: []func() []job{func() []job { return []job{first, rest, rest} }}}},
		func(string) int { return int(late.Load()) })
	require.EqualValues(t, 2, running.Load())
}

// TestTenantGoesFirst: what its applications share is there before any of them begins, also if
// they were added before, and nobody else waits for it.
func TestTenantGoesFirst(t *testing.T) {
	shared, other := make(chan struct{}), make(chan struct{})
	var there atomic.Bool
	one := func(do job) []func() []job { return []func() []job{func() []job { return []job{do} }} }
	run(t.Context(), 4, []*turn{
		{tenant: "acme", steps: one(func(context.Context) { assert.True(t, there.Load()) })},
		{tenant: "acme", first: true, steps: one(func(context.Context) { <-shared; there.Store(true) })},
		{tenant: "globex", steps: one(func(context.Context) { close(other) })},
		{tenant: "initech", steps: one(func(context.Context) { <-other; close(shared) })},
	}, prompt)
	require.True(t, there.Load())
}

// TestCancelledTurnsEnd, while the workers are busy with others.
func TestCancelledTurnsEnd(t *testing.T) {
	q := newQueue(1, prompt)
	ctx, cancel := context.WithCancel(t.Context())
	release, ended := make(chan struct{}), make(chan struct{})
	one := func(do job) []func() []job { return []func() []job{func() []job { return []job{do} }} }
	q.add(&turn{ctx: t.Context(), tenant: "busy", steps: one(func(context.Context) { <-release })},
		&turn{ctx: ctx, tenant: "waits", steps: one(func(context.Context) { t.Error("begun") }), ended: func() { close(ended) }})
	cancel()
	q.look()
	<-ended
	close(release)
	q.jobs.Wait()
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
		run(context.Background(), workers, turns, prompt)
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
		run(context.Background(), rapid.IntRange(1, 6).Draw(t, "workers"), turns, prompt)
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
