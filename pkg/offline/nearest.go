package offline

// nearest is the name that was probably meant, "" if none is near.
func nearest(typed string, known []string) string {
	best, least := "", 3
	for _, name := range known {
		if d := distance(typed, name); d > 0 && d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to get from a to b.
func distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 100
	}
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
		}
		last = row
	}
	return last[len(b)]
}
