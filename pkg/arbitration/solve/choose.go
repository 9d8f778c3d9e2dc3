package solve

import (
	"cmp"
	"slices"
)

// choose finds the least that options must give up to cover the needs, nil if all
// of them together cannot. It first evicts as few applications as possible, those
// that stand worse before those that stand better; then it degrades as few as
// possible; then it frees as little as possible beyond the needs.
func choose(options []*option, needs []need) []move {
	rest := make([]int64, len(needs))
	for i, n := range needs {
		rest[i] = n.Amount
	}
	nothing := make([]int64, len(needs))
	degraded := func(o *option) []int64 {
		if len(o.Gains) == 0 {
			return nothing
		}
		return o.Gains[len(o.Gains)-1]
	}
	// What is missing when all are degraded as far as they may be must come from evictions.
	missing := slices.Clone(rest)
	for _, o := range options {
		Subtract(missing, degraded(o))
	}
	evicted := map[*option]bool{}
	if !Covered(missing) {
		var candidates []*candidate
		for _, o := range options {
			if !o.evict {
				continue
			}
			gain := o.all
			if len(o.Gains) > 0 {
				gain = slices.Clone(gain)
				Subtract(gain, degraded(o))
			}
			if !isNothing(gain) {
				candidates = append(candidates, &candidate{option: o, gain: gain})
			}
		}
		chosen := cover(candidates, missing)
		if chosen == nil {
			return nil
		}
		for _, x := range chosen {
			evicted[x.option] = true
			Subtract(rest, x.option.all)
		}
	}
	var moves []move
	for o := range evicted {
		moves = append(moves, move{o, -1})
	}
	if !Covered(rest) {
		var candidates []*candidate
		for _, o := range options {
			if gain := degraded(o); !evicted[o] && !isNothing(gain) {
				candidates = append(candidates, &candidate{option: o, gain: gain})
			}
		}
		chosen := cover(candidates, rest)
		for _, x := range chosen {
			moves = append(moves, move{x.option, x.option.lowest})
			Subtract(rest, x.gain)
		}
	}
	fillBackLevels(moves, rest)
	slices.SortFunc(moves, func(x, y move) int { return x.option.app.ID.Compare(y.option.app.ID) })
	return moves
}

// candidate is a running application that may have to be preempted.
type candidate struct {
	option *option
	gain   []int64 // what it adds to what is needed
}

// cover finds candidates whose gains together cover the rest, nil if all of them
// cannot. Candidates of equal standing are a tier. It touches no better tier than it
// must, and takes from each tier, best first, as few candidates as it can given all
// of the worse ones.
func cover(candidates []*candidate, rest []int64) []*candidate {
	slices.SortStableFunc(candidates, func(x, y *candidate) int { return y.option.least.Compare(x.option.least) })
	var tiers [][]*candidate
	for from := 0; from < len(candidates); {
		to := from
		for to < len(candidates) && candidates[to].option.least == candidates[from].option.least {
			to++
		}
		tiers, from = append(tiers, candidates[from:to]), to
	}
	missing := slices.Clone(rest)
	last := -1
	for i := range tiers {
		for _, x := range tiers[i] {
			Subtract(missing, x.gain)
		}
		if Covered(missing) {
			last = i
			break
		}
	}
	if last < 0 {
		return nil
	}
	var chosen []*candidate
	for i := last; i >= 0; i-- {
		// What this tier must add when all worse tiers give way, and better ones
		// as chosen.
		for _, x := range tiers[i] {
			for r, n := range x.gain {
				missing[r] += n
			}
		}
		all := slices.Clone(missing) // when nobody of a worse tier gives way
		for _, worse := range tiers[:i] {
			for _, x := range worse {
				for r, n := range x.gain {
					all[r] += n
				}
			}
		}
		picked := fewest(tiers[i], missing, all)
		for _, x := range picked {
			Subtract(missing, x.gain)
		}
		chosen = append(chosen, picked...)
	}
	return chosen
}

// fillBackLevels raises applications that are degraded further than needed. Rest is
// what is missing with all moves, negative where more becomes free than needed.
func fillBackLevels(moves []move, rest []int64) {
	slices.SortFunc(moves, func(x, y move) int {
		return cmp.Or(x.option.least.Compare(y.option.least), FirstCome(x.option.app, y.option.app))
	})
	for i := range moves {
		m := &moves[i]
		for m.to > m.option.app.Level+1 {
			step := m.to - m.option.app.Level - 1
			try := slices.Clone(rest)
			for r := range try {
				try[r] += m.option.Gains[step][r] - m.option.Gains[step-1][r]
			}
			if !Covered(try) {
				break
			}
			copy(rest, try)
			m.to--
		}
	}
}

func Subtract(rest, gain []int64) {
	for i, n := range gain {
		rest[i] -= n
	}
}

func Covered(rest []int64) bool {
	for _, n := range rest {
		if n > 0 {
			return false
		}
	}
	return true
}

func isNothing(gain []int64) bool {
	for _, n := range gain {
		if n > 0 {
			return false
		}
	}
	return true
}

// progress is how much of what is missing a gain covers: the sum of its parts of
// each need.
func progress(gain, missing []int64) Share {
	var sum Share
	for i, n := range missing {
		if n > 0 {
			sum += min(part(gain[i], n), Whole)
		}
	}
	return sum
}
