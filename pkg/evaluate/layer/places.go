package layer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

// Places are where a layer writes its values, as bytes. A fleet has as many layers
// as applications, and hardly one of them is ever asked; as maps the places would be
// most of what an evaluator keeps in memory.
type Places []byte

type packedEntry struct {
	_                       struct{} `cbor:",toarray"`
	Key, Label, Value, Text string
}

// Places packs where the layer writes its values. It leaves out the file of a position
// where it is that of the position before.
func (l *Layer) Places() Places {
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
	for _, key := range slices.Sorted(maps.Keys(l.where)) {
		for _, e := range l.where[key] {
			out = append(out, packedEntry{Key: key, Label: short(e.label), Value: short(e.value), Text: e.text})
		}
	}
	data, err := cbor.Marshal(out)
	if err != nil {
		panic(fmt.Errorf("pack the places of a layer: %w", err)) // they are strings
	}
	return data
}

// Layer is the layer of a field whose files write their values at these places.
func (p Places) Layer(field string, files []Source) Layer {
	return Layer{field, files, p.unpack()}
}

func (p Places) unpack() index {
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

// Outline returns the layer of an application with the places that are asked for
// after its evaluation: of policy, pools and profiles, and of what they are written in.
func (l Layer) Outline() Layer {
	out := index{}
	for k, entries := range l.where {
		path := strings.Split(k, "\x00")
		switch {
		case len(path) < 3, path[1] == "policy", path[1] == "components" && len(path) < 4,
			path[1] == "components" && slices.Contains([]string{"placement", "qos", "degrade"}, path[3]):
			out[k] = entries
		}
	}
	l.where = out
	return l
}
