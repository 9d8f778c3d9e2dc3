package evaluate

import (
	"maps"
	"slices"
	"strings"
	"unique"

	"github.com/d-aros/d-aros/pkg/model"
)

// positions are model.Positions in two strings. The values of the map become parts of
// them, and applications share one copy of each path.
type positions struct {
	_                   struct{} `cbor:",toarray"`
	Paths, Places       string
	PathEnds, PlaceEnds []int
}

func packPositions(at model.Positions) (p positions) {
	var paths, places strings.Builder
	for _, path := range slices.Sorted(maps.Keys(at)) {
		paths.WriteString(path)
		places.WriteString(at[path])
		p.PathEnds, p.PlaceEnds = append(p.PathEnds, paths.Len()), append(p.PlaceEnds, places.Len())
	}
	p.Paths, p.Places = paths.String(), places.String()
	return p
}

func (p positions) unpack() model.Positions {
	out := make(model.Positions, len(p.PathEnds))
	path, place := 0, 0 // where the next ones begin
	for i := range min(len(p.PathEnds), len(p.PlaceEnds)) {
		pathEnd := min(max(p.PathEnds[i], path), len(p.Paths))
		placeEnd := min(max(p.PlaceEnds[i], place), len(p.Places))
		out[unique.Make(p.Paths[path:pathEnd]).Value()] = p.Places[place:placeEnd]
		path, place = pathEnd, placeEnd
	}
	return out
}
