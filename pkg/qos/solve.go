package qos

// claim is one competitor for the CPU of a level: its weight may grow from
// floor until it gets reserved out of the level's capacity.
type claim struct{ reserved, floor int64 }

// solve returns the smallest weights, none below its floor, at which every
// claim gets its reservation while all siblings are busy; others is the weight
// of the siblings that are not ours. Weights above most are cut down to it, all
// by the same factor, and some reservation then falls short.
//
// A claim at its floor is a competitor like any other. The weight per reserved
// CPU that the rest needs only grows when a claim leaves its floor, so each
// leaves at most once.
func solve(capacity, others, most int64, claims []claim) []int64 {
	weights := make([]int64, len(claims))
	rest, free := others, capacity // weight at the floor, capacity for it
	for i, c := range claims {
		weights[i] = c.floor
		rest += c.floor
	}
	solved := make([]bool, len(claims))
	for changed := true; changed; {
		changed = false
		for i, c := range claims {
			if !solved[i] && c.reserved > 0 && (free <= 0 || wide(c.floor, free).less(wide(c.reserved, rest))) {
				solved[i], changed = true, true
				rest -= c.floor
				free -= c.reserved
			}
		}
	}
	var heaviest int64
	for i, c := range claims {
		if !solved[i] {
			continue
		}
		if free <= 0 {
			weights[i] = cut(c.reserved, most, largest(claims))
		} else {
			weights[i] = max(c.floor, wide(c.reserved, rest).ceil(free))
		}
		heaviest = max(heaviest, weights[i])
	}
	if heaviest > most {
		for i := range claims {
			if solved[i] {
				weights[i] = cut(weights[i], most, heaviest)
			}
		}
	}
	return weights
}

// cut scales n by most/of, rounded down, at least 1.
func cut(n, most, of int64) int64 { return max(1, wide(n, most).floor(of)) }

func largest(claims []claim) int64 {
	var n int64
	for _, c := range claims {
		n = max(n, c.reserved)
	}
	return n
}
