package layer

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// behind adds to problems the definition behind each: its path below the field of the
// layer that writes it. The policy that an application is evaluated under has no places, so
// that an application is not evaluated again when a definition moves; Find fills them in.
func behind(problems []model.Problem, path func(model.Problem) string) []model.Problem {
	for i, p := range problems {
		problems[i].Places = append(slices.Clone(p.Places), model.Place{Note: path(p)})
	}
	return problems
}

// Find returns places with those of definitions filled in, from the nearest layer that
// writes them. A definition that none of the layers writes is left out.
func Find(places []model.Place, layers ...*Layer) (out []model.Place) {
	for _, place := range places {
		if place.At != "" {
			out = append(out, place)
			continue
		}
		for _, l := range slices.Backward(layers) {
			path := strings.Split(l.Field+"."+place.Note, ".")
			if e, depth := l.Where.find(path); depth >= 4 { // that of the definition, or deeper
				out = append(out, model.Place{At: e.Label, Note: strings.Join(path[:depth], ".")})
				break
			}
		}
	}
	return out
}
