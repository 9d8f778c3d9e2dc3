package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
	"github.com/d-aros/d-aros/test/tier"
)

// TestEverythingComesToRest plays some of the sequences of cycles, 100,000 with -soak. I22: all come to rest. One of the 100,000
// takes seven rounds, one more than the bench gives them.
func TestEverythingComesToRest(t *testing.T) {
	moves := 0
	for n := range uint64(tier.Count(200, 200, 100_000)) {
		settled := play(2, n, 2*mostRounds, func(_ string, rounds []world.Changes) { moves += len(rounds) })
		require.True(t, settled, "go run ./test/arbitration/bench -seed 2 -sequence %d", n)
	}
	require.Greater(t, moves, 200, "too little happens to say anything")
}

// TestVictimsAreTheFewest: up to twelve candidates are searched exhaustively, so
// nobody has to go in vain.
func TestVictimsAreTheFewest(t *testing.T) {
	for _, c := range crunches {
		if c.bands > 1 && c.resources > 1 {
			continue // one tier after the other is not always the best of all
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 5 {
			o, in := c.play(rng)
			require.True(t, in)
			require.Equal(t, o.best.Evictions, o.ours.Evictions, "%+v", c)
		}
	}
}

func TestOrderOfInputDoesNotMatter(t *testing.T) {
	rows := digests(size{quick: true, seed: 3})
	require.True(t, rows[0].met, "%s: %s", rows[0].what, rows[0].figure)
}

func TestTableIsMarkdown(t *testing.T) {
	got := markdown([]row{{what: "speed", figure: "3", want: "≥ 2", judged: true, met: true}, {what: "colour", figure: "blue"}})
	require.Equal(t, "| measured | figure | wanted | met |\n|---|---|---|---|\n| speed | 3 | ≥ 2 | yes |\n| colour | blue |  |  |\n", got)
}

// TestPeerOf: a tenant is a queue, a group the cohort of its tenants, and what runs has its quota already.
func TestPeerOf(t *testing.T) {
	p := peerOf(generate.Queues{Groups: 2, Tenants: 3, Small: 1}.World(), true)
	require.True(t, p.Fair)
	require.Len(t, p.Queues, 6)
	borrow := int64(100_000)
	require.Equal(t, peerQueue{Name: "tenant-01-000", Cohort: "group-01", Nominal: 20_000, Borrow: &borrow}, p.Queues[3])
	require.Equal(t, peerWorkload{Name: "tenant-00-000.small-000", Queue: "tenant-00-000", CPU: 1000, Priority: 150}, p.Workloads[0])

	p = peerOf(generate.Crowded{Tenants: 2, Running: 4}.World(true), false)
	require.Equal(t, []string{"all", "all"}, []string{p.Queues[0].Cohort, p.Queues[1].Cohort})
	running := 0
	for _, w := range p.Workloads {
		if w.Running {
			running++
		}
	}
	require.Len(t, p.Workloads, 6)
	require.Equal(t, 4, running)
}

func TestSpread(t *testing.T) {
	s := spread{time.Millisecond, 2 * time.Millisecond, 6 * time.Millisecond}
	require.Equal(t, "0.20 ms (0.10 ms to 0.60 ms)", s.of(10))
	require.Equal(t, "6.00 ms", s[2:].of(1))
}
