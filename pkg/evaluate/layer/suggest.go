package layer

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/d-aros/d-aros/pkg/text"
)

// suggest names the field that the user probably meant by the last segment of path:
// the nearest one that the schema has there.
func suggest(v cue.Value, path []string) (question string) {
	defer func() {
		if recover() != nil {
			question = ""
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
	asked := path[len(path)-1]
	question = nearest(asked, names)
	if question == "" && len(path) > 1 && path[len(path)-2] == "traits" {
		return possible(slices.DeleteFunc(names, func(name string) bool { return name == asked }))
	}
	return question
}

// possible names the traits that a component of a type can have.
func possible(traits []string) string {
	if len(traits) == 0 {
		return "; components of this type have no traits"
	}
	slices.Sort(traits)
	return "; components of this type can have " + strings.Join(traits, ", ")
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

// nearest returns a question with the name that was probably meant, "" without one.
func nearest(typo string, names []string) string {
	if name := text.Nearest(typo, names); name != "" {
		return "; did you mean " + name + "?"
	}
	return ""
}
