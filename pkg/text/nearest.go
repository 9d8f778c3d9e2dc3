package text

import "slices"

// Nearest returns the name that was probably meant: the first of those that differ least from what was typed, in one or
// two letters. It returns "" if none is near.
func Nearest(typed string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		if d := distance(typed, name); d > 0 && d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap to get from a to b.
func distance(a, b string) int {
	const most = 100
	if len(a) > most || len(b) > most {
		return most
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := slices.Repeat([]int{i}, len(b)+1)
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
