package evaluate

import (
	"maps"
	"slices"
	"strings"
	"unique"

	"github.com/fxamacker/cbor/v2"

	"github.com/d-aros/d-aros/pkg/model"
)

// A packed index is an index as bytes. A fleet has as many indexes as
// applications, and hardly one of them is ever asked; as maps they would be most of
// what the evaluator keeps in memory.
type packed []byte

type packedEntry struct {
	_                       struct{} `cbor:",toarray"`
	Key, Label, Value, Text string
}

// pack leaves out the file of a position where it is that of the one before.
func (ix index) pack() packed {
	var out []packedEntry
	file := ""
	short := func(at string) string {
		name, place, _ := strings.Cut(at, ":")
		if name == file {
			return ":" + place
		}
		file = name
		return at
	}
	for _, key := range slices.Sorted(maps.Keys(ix)) {
		for _, e := range ix[key] {
			out = append(out, packedEntry{Key: key, Label: short(e.label), Value: short(e.value), Text: e.text})
		}
	}
	return mustEncode(out)
}

func (p packed) unpack() index {
	var entries []packedEntry
	if cbor.Unmarshal(p, &entries) != nil {
		return index{} // nothing is said about places
	}
	file := ""
	long := func(at string) string {
		name, _, _ := strings.Cut(at, ":")
		if name == "" {
			return file + at
		}
		file = name
		return at
	}
	ix := index{}
	for _, e := range entries {
		ix[e.Key] = append(ix[e.Key], entry{long(e.Label), long(e.Value), e.Text})
	}
	return ix
}

// own returns the application's layer, to ask where something is written.
func (r *applicationResult) own() *layer {
	if r.where == nil {
		return &r.layer
	}
	own := r.layer
	own.where = r.where.unpack()
	return &own
}

// positions are model.Positions in two strings, of which the values of the map are
// parts. The paths are the same in most applications, so that one copy will do.
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
	path, place := 0, 0 // where the next begin
	for i := range min(len(p.PathEnds), len(p.PlaceEnds)) {
		pathEnd := min(max(p.PathEnds[i], path), len(p.Paths))
		placeEnd := min(max(p.PlaceEnds[i], place), len(p.Places))
		out[unique.Make(p.Paths[path:pathEnd]).Value()] = p.Places[place:placeEnd]
		path, place = pathEnd, placeEnd
	}
	return out
}

// outline keeps of an application's index what is asked for after its evaluation:
// the places of policy, pools and profiles, and of what they are written in.
func (ix index) outline() index {
	out := index{}
	for k, entries := range ix {
		path := strings.Split(k, "\x00")
		switch {
		case len(path) < 3, path[1] == "policy", path[1] == "components" && len(path) < 4,
			path[1] == "components" && slices.Contains([]string{"placement", "qos", "degrade"}, path[3]):
			out[k] = entries
		}
	}
	return out
}
