package solve

import (
	"cmp"
	"slices"
)

// choose finds the least that options must give up to cover the needs, nil if all
// of them together cannot. It first evicts as few applications as possible, worse
// standings before better ones; then it degrades as few as
// possible; then it frees as little as possible beyond the needs.
func choose(options []*option, needs []need) []move {
	rest := make(Vector, len(needs))
	for i, n := range needs {
		rest[i] = n.amount
	}
	// What is missing when all are degraded as far as they may be must come from evictions.
	missing := slices.Clone(rest)
	for _, o := range options {
		missing.sub(o.degraded())
	}
	var moves []move
	evicted := map[*option]bool{}
	if !missing.isNothing() {
		chosen := cover(candidatesOf(options, (*option).beyond), missing)
		if chosen == nil {
			return nil
		}
		for _, x := range chosen {
			evicted[x.option], moves = true, append(moves, move{x.option, -1})
			rest.sub(x.option.all)
		}
	}
	if !rest.isNothing() {
		for _, x := range cover(candidatesOf(options, func(o *option) Vector {
			if evicted[o] {
				return nil
			}
			return o.degraded()
		}), rest) {
			moves = append(moves, move{x.option, x.option.lowest})
			rest.sub(x.gain)
		}
	}
	fillBackLevels(moves, rest)
	slices.SortFunc(moves, func(x, y move) int { return x.option.app.ID.Compare(y.option.app.ID) })
	return moves
}

// candidate is a running application that may have to be preempted.
type candidate struct {
	option *option
	gain   Vector // what it adds to what is needed
}

// beyond is what its eviction adds to its degradation, nil if it may not be evicted.
func (o *option) beyond() Vector {
	switch {
	case !o.evict:
		return nil
	case o.degraded() == nil:
		return o.all
	}
	gain := slices.Clone(o.all)
	gain.sub(o.degraded())
	return gain
}

// candidatesOf lists those of the options whose gain adds something to what is needed. A search chooses among thousands of options, many
// times, so all candidates share one allocation.
func candidatesOf(options []*option, gain func(o *option) Vector) []*candidate {
	list, all := make([]*candidate, 0, len(options)), make([]candidate, len(options))
	for i, o := range options {
		if g := gain(o); !g.isNothing() {
			all[i] = candidate{o, g}
			list = append(list, &all[i])
		}
	}
	return list
}

// tier orders options by whom to ask first: worse standings before better ones, and in the
// end those of other tenants that stand alike.
func (o *option) tier(p *option) int {
	if o.alike != p.alike {
		if o.alike {
			return 1
		}
		return -1
	}
	return p.least.Compare(o.least)
}

// cover finds candidates whose gains together cover the rest, nil if all of them
// cannot. Candidates that are asked alike are a tier. It touches no better tier than it
// must, and takes from each tier, best first, as few candidates as it can given all
// of the worse ones.
func cover(candidates []*candidate, rest Vector) []*candidate {
	slices.SortStableFunc(candidates, func(x, y *candidate) int { return x.option.tier(y.option) })
	var tiers [][]*candidate
	for from := 0; from < len(candidates); {
		to := from
		for to < len(candidates) && candidates[to].option.tier(candidates[from].option) == 0 {
			to++
		}
		tiers, from = append(tiers, candidates[from:to]), to
	}
	missing := slices.Clone(rest)
	last := -1
	for i := range tiers {
		for _, x := range tiers[i] {
			missing.sub(x.gain)
		}
		if missing.isNothing() {
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
			missing.Add(x.gain)
		}
		all := slices.Clone(missing) // when no application of a worse tier gives way
		for _, worse := range tiers[:i] {
			for _, x := range worse {
				all.Add(x.gain)
			}
		}
		picked := fewest(tiers[i], missing, all)
		for _, x := range picked {
			missing.sub(x.gain)
		}
		chosen = append(chosen, picked...)
	}
	return chosen
}

// fillBackLevels raises applications that are degraded further than needed. Rest is
// what is missing with all moves, negative where more becomes free than needed.
func fillBackLevels(moves []move, rest Vector) {
	slices.SortFunc(moves, func(x, y move) int {
		return cmp.Or(x.option.least.Compare(y.option.least), FirstCome(x.option.app, y.option.app))
	})
	for i := range moves {
		m := &moves[i]
		for m.to > m.option.app.Level+1 {
			step := m.to - m.option.app.Level - 1
			try := slices.Clone(rest)
			try.Add(m.option.gains[step])
			if try.sub(m.option.gains[step-1]); !try.isNothing() {
				break
			}
			copy(rest, try)
			m.to--
		}
	}
}

// progress is how much of what is missing a gain covers: the sum of its parts of
// each need.
func progress(gain, missing Vector) Share {
	var sum Share
	for i, n := range missing {
		if n > 0 {
			sum += min(part(gain[i], n), Whole)
		}
	}
	return sum
}
