package evaluate

import (
	"maps"
	"slices"
	"strings"

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

// positions are model.Positions in one string, of which the keys and values of the
// map are parts: a map for each of ten thousand applications is much to allocate.
type positions struct {
	_    struct{} `cbor:",toarray"`
	Text string
	Ends []int // of the keys and values in it, in turn
}

func packPositions(at model.Positions) (p positions) {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(at)) {
		b.WriteString(path)
		p.Ends = append(p.Ends, b.Len())
		b.WriteString(at[path])
		p.Ends = append(p.Ends, b.Len())
	}
	p.Text = b.String()
	return p
}

func (p positions) unpack() model.Positions {
	out := make(model.Positions, len(p.Ends)/2)
	begin := 0
	next := func(end int) string {
		end = min(max(end, begin), len(p.Text))
		s := p.Text[begin:end]
		begin = end
		return s
	}
	for i := 0; i+1 < len(p.Ends); i += 2 {
		path := next(p.Ends[i])
		out[path] = next(p.Ends[i+1])
	}
	return out
}

// outline keeps of an application's index what is asked for after its evaluation:
// the places of policy, pools and profiles.
func (ix index) outline() index {
	out := index{}
	for k, entries := range ix {
		if path := strings.Split(k, "\x00"); len(path) < 4 || path[1] == "policy" || slices.Contains([]string{"placement", "qos", "degrade"}, path[3]) {
			out[k] = entries
		}
	}
	return out
}
