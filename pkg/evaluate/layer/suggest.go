package layer

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
)

// suggest names the field that the user probably meant by the last segment of path:
// the nearest one that the schema has there.
func suggest(v cue.Value, path []string) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	fields, err := lookup(v, path[:len(path)-1]).Fields(cue.Optional(true))
	if err != nil {
		return ""
	}
	var names []string
	for fields.Next() {
		if sel := fields.Selector(); sel.LabelType() == cue.StringLabel {
			names = append(names, sel.Unquoted())
		}
	}
	return nearest(path[len(path)-1], names)
}

// lookup returns the value at a path, also within what has errors. A number is the
// index of an element where there is no field of that name.
func lookup(v cue.Value, path []string) cue.Value {
	for _, p := range path {
		below := v.LookupPath(cue.MakePath(cue.Str(p)))
		if i, err := strconv.Atoi(p); err == nil && i >= 0 && !below.Exists() {
			below = v.LookupPath(cue.MakePath(cue.Index(i)))
		}
		v = below
	}
	return v
}

// meant names the type that the user probably meant, of those that a sentence lists.
func meant(asked, sentence string) string {
	_, list, ok := strings.Cut(sentence, " is of type ")
	if !ok {
		return ""
	}
	return nearest(strings.Trim(asked, `"`), strings.Split(list, ", "))
}

// nearest is the question whether one of the names was meant, "" if none is near.
func nearest(typo string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		if d := distance(typo, name); d < least && d < len(name) && name != typo {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance counts the letters to insert, delete, replace or swap to get from a to b.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
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
