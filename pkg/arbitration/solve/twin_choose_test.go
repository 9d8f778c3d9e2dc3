package solve

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestChoosingIsAsGoodAsTryingEverything compares the choice of those that give
// way with a twin that tries all sets: it suffices if any set does, evicts no
// more of any standing than the best set does (with one resource; with several,
// none of a better standing than the best set must touch, and no more there), and
// nothing of it can be left out.
func TestChoosingIsAsGoodAsTryingEverything(t *testing.T) {
	for range 10 {
		rapid.Check(t, chooseAsTheTwin)
	}
}

func chooseAsTheTwin(t *rapid.T) {
	dims := rapid.IntRange(1, 3).Draw(t, "resources")
	needs := make([]need, dims)
	for r := range needs {
		needs[r].amount = int64(rapid.IntRange(1, 20).Draw(t, "need"))
	}
	options := drawOptions(t, dims)
	moves := choose(slices.Clone(options), needs)
	best := fewestByTrying(options, needs)
	if (best == nil) != (moves == nil) {
		t.Fatalf("chosen: %v, by trying: %v", moves, best)
	}
	if moves == nil {
		return
	}
	rest := make(Vector, dims)
	for r := range rest {
		rest[r] = needs[r].amount
	}
	counts := make([]int, len(best))
	for _, m := range moves {
		rest.sub(freed(m))
		if m.to < 0 {
			counts[tierOf(m.option)]++
		}
	}
	if !rest.isNothing() {
		t.Fatalf("%v is missing after all that was chosen", rest)
	}
	for tier, n := range counts { // the best standing first
		if n != best[tier] {
			t.Fatalf("evicts %v by standing, %v would do", counts, best)
		}
		if dims > 1 && n > 0 {
			break // which ones are taken here decides how many are needed below
		}
	}
	for _, m := range moves {
		without := slices.Clone(rest)
		for r, n := range freed(m) {
			without[r] += n
		}
		if without.isNothing() {
			t.Fatalf("%s need not give way at all", m.option.app.ID)
		}
	}
}

func freed(m move) Vector {
	if m.to < 0 {
		return m.option.all
	}
	return m.option.gains[m.to-m.option.app.Level-1]
}

// tierOf is the rank of the standing that is lost, 0 for the best of three.
func tierOf(o *option) int { return o.least.Band }

// drawOptions draws up to eight that may give way, worst standing first.
func drawOptions(t *rapid.T, dims int) []*option {
	options := make([]*option, rapid.IntRange(1, 8).Draw(t, "options"))
	for i := range options {
		o := &option{app: &App{Asked: Asked{ID: model.AppID{Tenant: "t", Name: fmt.Sprint("a", i)}}}, all: make(Vector, dims)}
		o.least = Standing{Class: Borrowing, Band: rapid.IntRange(0, 2).Draw(t, "tier")}
		for r := range o.all {
			o.all[r] = int64(rapid.IntRange(1, 9).Draw(t, "frees"))
		}
		o.evict = rapid.IntRange(0, 4).Draw(t, "evict") > 0
		steps := rapid.IntRange(0, 2).Draw(t, "steps")
		if !o.evict && steps == 0 {
			steps = 1
		}
		o.lowest = steps
		o.app.Levels = make([]Level, steps+1)
		for s := range steps {
			gain := make(Vector, dims)
			for r := range gain {
				gain[r] = o.all[r] * int64(s+1) / int64(steps+1)
			}
			o.gains = append(o.gains, gain)
		}
		options[i] = o
	}
	slices.SortStableFunc(options, func(x, y *option) int { return cmp.Compare(y.least.Band, x.least.Band) })
	return options
}

// fewestByTrying tries to evict every set, with all others degraded as far as
// they may be, and returns how many of each standing the best set has, best
// standing first; nil if none suffices.
func fewestByTrying(options []*option, needs []need) (best []int) {
	for set := range uint(1) << len(options) {
		counts, rest, allowed := make([]int, 3), make(Vector, len(needs)), true
		for r := range rest {
			rest[r] = needs[r].amount
		}
		for i, o := range options {
			switch {
			case set>>i&1 == 1:
				allowed = allowed && o.evict
				counts[tierOf(o)]++
				rest.sub(o.all)
			case len(o.gains) > 0:
				rest.sub(o.gains[len(o.gains)-1])
			}
		}
		// Of the best standing, fewest; then of the next.
		if allowed && rest.isNothing() && (best == nil || slices.Compare(counts, best) < 0) {
			best = counts
		}
	}
	return best
}
