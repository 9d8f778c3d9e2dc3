package solve

import (
	"cmp"
	"math/bits"
	"slices"
)

// exactLimit is the largest tier of which all subsets are tried.
const exactLimit = 16

// fewest picks as few candidates of one tier as cover what is missing when all
// worse tiers give way. Among choices of equally many it prefers the one that leaves
// least to the worse tiers, and then the one that frees least beyond the need. The whole tier covers
// what is missing.
func fewest(tier []*candidate, missing, all Vector) []*candidate {
	if missing.isNothing() {
		return nil
	}
	if len(tier) <= exactLimit {
		return exact(tier, missing, all)
	}
	picked := greedy(tier, missing)
	return swap(tier, picked, missing, all)
}

// price compares choices of equally many candidates: what they leave to worse
// tiers, then what they waste.
type price struct{ left, waste Share }

func (p price) less(o price) bool { return p.left < o.left || p.left == o.left && p.waste < o.waste }

// pricing weighs what a choice leaves of all that is missing. Left is negative
// where more becomes free than needed.
func pricing(left, all Vector) (p price) {
	for i, n := range left {
		switch {
		case all[i] <= 0:
		case n > 0:
			p.left += part(n, all[i])
		default:
			p.waste = max(p.waste, part(-n, all[i]))
		}
	}
	return p
}

// exact tries all subsets of a size, the smallest size first.
func exact(tier []*candidate, missing, all Vector) []*candidate {
	rest, left := make(Vector, len(missing)), make(Vector, len(missing))
	for size := 1; size <= len(tier); size++ {
		best, lowest := uint(0), price{}
		for set := uint(1)<<size - 1; set < 1<<len(tier); set = nextSubset(set) {
			copy(rest, missing)
			copy(left, all)
			for members := set; members != 0; members &= members - 1 {
				gain := tier[bits.TrailingZeros(members)].gain
				rest.sub(gain)
				left.sub(gain)
			}
			if !rest.isNothing() {
				continue
			}
			if cost := pricing(left, all); best == 0 || cost.less(lowest) {
				best, lowest = set, cost
			}
		}
		if best == 0 {
			continue
		}
		var picked []*candidate
		for i, x := range tier {
			if best>>i&1 == 1 {
				picked = append(picked, x)
			}
		}
		return picked
	}
	return nil
}

// nextSubset returns the next larger number with as many bits set.
func nextSubset(set uint) uint {
	low := set & -set
	carried := set + low
	return carried | (set^carried)/low>>2
}

// greedy takes the candidate that covers most of the missing capacity, repeats that
// until nothing is missing, and then drops each candidate that is not needed.
func greedy(tier []*candidate, missing Vector) []*candidate {
	rest := slices.Clone(missing)
	left := slices.Clone(tier)
	var picked []*candidate
	for !rest.isNothing() {
		best, most := -1, Share(0)
		for i, x := range left {
			if x == nil {
				continue
			}
			if n := progress(x.gain, rest); best < 0 || n > most {
				best, most = i, n
			}
		}
		picked = append(picked, left[best])
		rest.sub(left[best].gain)
		left[best] = nil
	}
	return fillBack(picked, rest)
}

// fillBack leaves out picked candidates that are not needed, the last one picked
// first.
func fillBack(picked []*candidate, rest Vector) []*candidate {
	for i := len(picked) - 1; i >= 0; i-- {
		without := slices.Clone(rest)
		if without.Add(picked[i].gain); without.isNothing() {
			copy(rest, without)
			picked = slices.Delete(picked, i, i+1)
		}
	}
	return picked
}

// swap improves a choice: it replaces two picked candidates by one, then one by
// another that wastes less.
func swap(tier, picked []*candidate, missing, all Vector) []*candidate {
	in := map[*candidate]bool{}
	rest, left := slices.Clone(missing), slices.Clone(all)
	for _, x := range picked {
		in[x] = true
		rest.sub(x.gain)
	}
	// Only the largest of the tier can stand for two, and only where fewer could do.
	var large []*candidate
	if len(picked) > atLeast(tier, missing) {
		large = slices.Clone(tier)
	}
	slices.SortStableFunc(large, func(x, y *candidate) int { return cmp.Compare(progress(y.gain, missing), progress(x.gain, missing)) })
	large = large[:min(len(large), 64)]
	for improved := len(large) > 0; improved && len(picked) <= 64; {
		improved = false
	pairs:
		for i := range picked {
			for j := i + 1; j < len(picked); j++ {
				for _, y := range large {
					if in[y] {
						continue
					}
					try := slices.Clone(rest)
					try.Add(picked[i].gain)
					try.Add(picked[j].gain)
					if try.sub(y.gain); try.isNothing() {
						in[picked[i]], in[picked[j]], in[y] = false, false, true
						picked[i] = y
						picked = slices.Delete(picked, j, j+1)
						rest, improved = try, true
						break pairs
					}
				}
			}
		}
	}
	if len(picked) > 64 {
		return picked
	}
	for _, x := range picked {
		left.sub(x.gain)
	}
	try, rests := slices.Clone(rest), slices.Clone(left)
	for i := range picked {
		lowest := pricing(left, all)
		if lowest == (price{}) {
			break
		}
		for _, y := range tier {
			if in[y] {
				continue
			}
			for r := range try {
				change := picked[i].gain[r] - y.gain[r]
				try[r], rests[r] = rest[r]+change, left[r]+change
			}
			if cost := pricing(rests, all); try.isNothing() && cost.less(lowest) {
				in[picked[i]], in[y] = false, true
				picked[i], lowest = y, cost
				copy(rest, try)
				copy(left, rests)
			}
		}
	}
	return picked
}

// atLeast is a lower bound of how many candidates of a tier cover what is missing.
func atLeast(tier []*candidate, missing Vector) int {
	least := 0
	for r, n := range missing {
		var most int64
		for _, x := range tier {
			most = max(most, x.gain[r])
		}
		if n > 0 && most > 0 {
			least = max(least, int((n+most-1)/most))
		}
	}
	return least
}
