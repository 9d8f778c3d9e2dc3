package cuefile

import (
	"slices"
	"strings"
)

// Conflict is a path that was changed by two people since a base, to different values.
type Conflict struct {
	Path []string `json:"path"`

	// What is written there, as CUE; "" for nothing.
	Base   string `json:"base"`
	Mine   string `json:"mine"`
	Theirs string `json:"theirs"`
}

// Conflicts returns where edits of a base, mine, change what they also changed. Elsewhere the edits can
// be carried out on theirs. An edit of an element is one of its list.
func Conflicts(base, theirs []File, edits ...Edit) (found []Conflict, err error) {
	changed, err := Apply(base, edits...)
	if err != nil {
		return nil, err
	}
	mine := slices.Clone(base)
	for _, f := range changed {
		mine[slices.IndexFunc(mine, func(b File) bool { return b.Name == f.Name })] = f
	}
	for _, e := range edits {
		c := Conflict{Path: e.Path}
		if e.Op == Insert || e.Op == Remove || e.Op == Move {
			c.Path = e.Path[:len(e.Path)-1]
		}
		if e.Op == Rename {
			continue // what is below goes along, whatever it is by now
		}
		for in, said := range map[*string][]File{&c.Base: base, &c.Mine: mine, &c.Theirs: theirs} {
			if *in, err = written(said, c.Path); err != nil {
				return nil, err
			}
		}
		seen := slices.ContainsFunc(found, func(f Conflict) bool { return slices.Equal(f.Path, c.Path) })
		if c.Theirs != c.Base && c.Theirs != c.Mine && !seen {
			found = append(found, c)
		}
	}
	return found, nil
}

// written returns what files say about a path.
func written(files []File, path []string) (string, error) {
	var says []string
	for _, f := range files {
		places, err := Index(f)
		if err != nil {
			return "", err
		}
		for _, p := range places {
			if slices.Equal(p.Path, path) {
				says = append(says, strings.TrimPrefix(strings.TrimSpace(formatted(string(f.Data[p.Start:p.End]))), "x: "))
			}
		}
	}
	slices.Sort(says) // it may have moved to another file
	return strings.Join(says, " & "), nil
}
