package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// digests rules on one fleet full of ties in a hundred orders.
func digests(s size) []row {
	seen := map[model.Digest]bool{}
	runs := s.of(100, 10)
	for run := range runs {
		// Instances of one moment are equal in everything but their names.
		w := generate.Random(rand.New(rand.NewPCG(s.seed, 5)), generate.Everything(8, 400))
		for i := range w.Ledger.Instances {
			w.Ledger.Instances[i].Declared, w.Ledger.Instances[i].Since = world.Start, world.Start
		}
		rng := rand.New(rand.NewPCG(s.seed, uint64(run)))
		w.Shuffle(rng)
		ruling, _ := w.Round()
		w.Now = w.Now.Add(time.Hour)
		w.Shuffle(rng)
		seen[model.DigestOf([]model.Ruling{ruling, w.Decide()})] = true
	}
	return []row{{
		what:   fmt.Sprintf("different rulings on the same fleet of 400, full of ties, in %d orders", runs),
		figure: fmt.Sprint(len(seen)), want: "1", judged: true, met: len(seen) == 1,
	}}
}

// mostRounds is after how many rounds nothing may move any more.
const mostRounds = 4

// cycles lets things happen at random and waits each time until nothing moves.
func cycles(s size) []row {
	sequences, unsettled, events, longest, moves := s.of(10_000, 300), 0, 0, 0, 0
	var example uint64
	for n := range sequences {
		rng := rand.New(rand.NewPCG(s.seed, uint64(n)))
		shape := generate.Everything(1+rng.IntN(4), 3+rng.IntN(6))
		w := generate.Random(rng, shape)
		for e := range 5 {
			if e > 0 {
				happen(w, rng, shape, e)
			}
			events++
			rounds, settled := w.Settle(mostRounds, time.Minute)
			moves += rounds
			if !settled {
				unsettled, example = unsettled+1, uint64(n)
				break
			}
			longest = max(longest, rounds)
		}
	}
	figure := fmt.Sprintf("%d of %d (at most %d rounds, %.2f on average)", unsettled, sequences, longest, float64(moves)/float64(max(1, events)))
	if unsettled > 0 {
		figure += fmt.Sprintf(", for example sequence %d of seed %d", example, s.seed)
	}
	return []row{{
		what:   fmt.Sprintf("sequences of events that do not come to rest within %d rounds", mostRounds),
		figure: figure, want: "0", judged: true, met: unsettled == 0,
	}}
}

// happen is one event: something arrives, goes, changes its priority, or capacity
// comes and goes.
func happen(w *world.World, rng *rand.Rand, shape generate.Shape, n int) {
	w.Now = w.Now.Add(time.Duration(rng.IntN(120)) * time.Second)
	apps := w.Fleet.Applications
	switch kind := rng.IntN(5); {
	case kind == 0 && len(apps) > 0:
		w.Remove(apps[rng.IntN(len(apps))].ID)
	case kind == 1 && len(apps) > 0:
		app := apps[rng.IntN(len(apps))]
		app.Priority = []int{20, 150, 250, 550}[rng.IntN(4)]
		w.Declare(app)
	case kind == 2:
		pool := &w.Seen.Pools[rng.IntN(len(w.Seen.Pools))]
		pool.Capacity.CPU = int64(2+rng.IntN(14)) * 1000
	default:
		w.Declare(shape.Application(rng, fmt.Sprintf("late-%d", n), generate.Policy(shape.Preemption)))
	}
}
