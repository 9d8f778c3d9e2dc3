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
	runs, apps := s.of(100, 10), s.of(400, 60)
	for run := range runs {
		// Instances of one moment are equal in everything but their names.
		w := generate.Random(rand.New(rand.NewPCG(s.seed, 5)), generate.Everything(8, apps))
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
		what:   fmt.Sprintf("different rulings on the same fleet of %d, full of ties, in %d orders", apps, runs),
		figure: fmt.Sprint(len(seen)), want: "1", judged: true, met: len(seen) == 1,
	}}
}

// mostRounds is after how many rounds nothing may move any more.
const mostRounds = 6

// cycles lets things happen at random and waits each time until nothing moves.
func cycles(s size) []row {
	sequences, unsettled, events, longest, moves := s.of(10_000, 300), 0, 0, 0, 0
	var example uint64
	for n := range sequences {
		settled := play(s.seed, uint64(n), mostRounds, func(_ string, rounds []world.Changes) {
			events++
			moves += len(rounds)
			longest = max(longest, len(rounds))
		})
		if !settled {
			unsettled, example = unsettled+1, uint64(n)
		}
	}
	figure := fmt.Sprintf("%d of %d (at most %d rounds, %.2f on average)", unsettled, sequences, longest, float64(moves)/float64(max(1, events)))
	if unsettled > 0 {
		figure += fmt.Sprintf(", for example -seed %d -sequence %d", s.seed, example)
	}
	return []row{{
		what:   fmt.Sprintf("sequences of events that do not come to rest within %d rounds", mostRounds),
		figure: figure, want: "0", judged: true, met: unsettled == 0,
	}}
}

// play plays one sequence and reports whether everything came to rest each time within some rounds.
// After every event it reports the event and what moved, round by round.
func play(seed, n uint64, most int, report func(event string, rounds []world.Changes)) bool {
	rng := rand.New(rand.NewPCG(seed, n))
	shape := generate.Everything(1+rng.IntN(4), 3+rng.IntN(6))
	w := generate.Random(rng, shape)
	event := "beginning"
	for e := range 5 {
		if e > 0 {
			event = happen(w, rng, shape, e)
		}
		var rounds []world.Changes
		for {
			_, c := w.Round()
			w.Now = w.Now.Add(time.Minute)
			if c.None() {
				break
			}
			if rounds = append(rounds, c); len(rounds) > most {
				report(event, rounds)
				return false
			}
		}
		report(event, rounds)
	}
	return true
}

// show prints one sequence.
func show(seed, n uint64) {
	settled := play(seed, n, 2*mostRounds, func(event string, rounds []world.Changes) {
		fmt.Println(event)
		for _, c := range rounds {
			fmt.Printf("  in %v, out %v, less %v, more %v\n", c.Admitted, c.Evicted, c.Reduced, c.Raised)
		}
	})
	fmt.Println("comes to rest:", settled)
}

// happen is one event: something arrives, goes, changes its priority, or capacity
// comes and goes.
func happen(w *world.World, rng *rand.Rand, shape generate.Shape, n int) string {
	w.Now = w.Now.Add(time.Duration(rng.IntN(120)) * time.Second)
	apps := w.Fleet.Applications
	switch kind := rng.IntN(5); {
	case kind == 0 && len(apps) > 0:
		id := apps[rng.IntN(len(apps))].ID
		w.Remove(id)
		return fmt.Sprintf("%s goes", id)
	case kind == 1 && len(apps) > 0:
		app := *apps[rng.IntN(len(apps))]
		app.Priority = []int{20, 150, 250, 550}[rng.IntN(4)]
		w.Declare(app)
		return fmt.Sprintf("%s gets priority %d", app.ID, app.Priority)
	case kind == 2:
		pool := &w.Seen.Pools[rng.IntN(len(w.Seen.Pools))]
		pool.Capacity.CPU = int64(2+rng.IntN(14)) * 1000
		return fmt.Sprintf("%s has %s", pool.Name, pool.Capacity)
	}
	app := shape.Application(rng, fmt.Sprintf("late-%d", n), new(generate.Policy(shape.Preemption)))
	w.Declare(app)
	return fmt.Sprintf("%s comes", app.ID)
}
