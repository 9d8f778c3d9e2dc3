package apply

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// holding encodes the part of an object that managed fields cover. Equal parts have equal encodings, in whatever order the
// API server tells their fields. It works on JSON: to decode each object, only to find that nothing of ours changed in it,
// costs several times as much.
type holding struct {
	out  []byte
	open []branch // the fields of the objects around the present value
}

// branch is a field of a JSON object: its name, and its value in JSON.
type branch struct{ name, value string }

// holdings are those that nobody uses now: their room was a quarter of the garbage of a first apply.
var holdings = sync.Pool{New: func() any { return &holding{out: make([]byte, 0, 1<<10), open: make([]branch, 0, 128)} }}

// heldPart returns the part of a value that a tree of managed fields covers, with sorted names.
func heldPart(value, fields gjson.Result) []byte {
	h := holdings.Get().(*holding)
	h.held(value, fields)
	part := slices.Clone(h.out)
	clear(h.open[:cap(h.open)]) // they would hold the text of the object
	h.out, h.open = h.out[:0], h.open[:0]
	if cap(h.out) <= 64<<10 {
		holdings.Put(h)
	}
	return part
}

// members opens a JSON object: it returns where its fields are in h.open, in the order of their names.
func (h *holding) members(object gjson.Result) (from, to int) {
	from = len(h.open)
	object.ForEach(func(k, v gjson.Result) bool {
		h.open = append(h.open, branch{k.Str, v.Raw})
		return true
	})
	slices.SortFunc(h.open[from:], func(a, b branch) int { return strings.Compare(a.name, b.name) })
	return from, len(h.open)
}

func (h *holding) held(value, fields gjson.Result) {
	switch {
	case value.IsObject() && !isEmpty(fields):
		h.heldObject(value, fields)
	case value.IsArray() && !isEmpty(fields):
		h.heldItems(value, fields)
	default:
		h.whole(value)
	}
}

// isEmpty reports whether nothing is below a level of managed fields: it covers all of the value.
func isEmpty(fields gjson.Result) bool {
	return !fields.IsObject() || strings.HasPrefix(strings.TrimSpace(fields.Raw[1:]), "}")
}

func (h *holding) heldObject(value, fields gjson.Result) {
	from, all := h.members(fields)
	at, end := h.members(value)
	h.out = append(h.out, '{')
	first := true
	for held := from; held < all; held++ {
		name, ok := strings.CutPrefix(h.open[held].name, "f:")
		if !ok {
			continue
		}
		for at < end && h.open[at].name < name {
			at++
		}
		if at < end && h.open[at].name == name {
			h.name(name, &first)
			h.held(gjson.Parse(h.open[at].value), gjson.Parse(h.open[held].value))
		}
	}
	h.out = append(h.out, '}')
	h.open = h.open[:from]
}

func (h *holding) heldItems(value, fields gjson.Result) {
	from, to := h.members(fields)
	h.out = append(h.out, '[')
	index, first := 0, true
	value.ForEach(func(_, v gjson.Result) bool {
		if at := slices.IndexFunc(h.open[from:to], func(b branch) bool { return names(b.name, v, index) }); at >= 0 {
			h.comma(&first)
			h.held(v, gjson.Parse(h.open[from+at].value))
		}
		index++
		return true
	})
	h.out = append(h.out, ']')
	h.open = h.open[:from]
}

// names reports whether managed fields name an item of a list so: by its keys, its value or its index.
func names(name string, item gjson.Result, index int) bool {
	by, text, _ := strings.Cut(name, ":")
	if !gjson.Valid(text) {
		return false // "." is the list itself
	}
	want := gjson.Parse(text)
	switch by {
	case "k":
		return item.IsObject() && want.IsObject() && hasAll(item, want)
	case "v":
		return equalJSON(item, want)
	case "i":
		return want.Raw == strconv.Itoa(index)
	}
	return false
}

// hasAll reports whether a JSON object has all fields of another one.
func hasAll(object, want gjson.Result) bool {
	all := true
	want.ForEach(func(k, w gjson.Result) bool {
		all = false
		object.ForEach(func(name, v gjson.Result) bool {
			if name.Str != k.Str {
				return true
			}
			all = equalJSON(v, w)
			return false
		})
		return all
	})
	return all
}

func equalJSON(a, b gjson.Result) bool {
	switch {
	case a.Type != b.Type:
		return false
	case a.Type == gjson.String:
		return a.Str == b.Str
	case a.Type == gjson.JSON:
		return bytes.Equal(heldPart(a, gjson.Result{}), heldPart(b, gjson.Result{}))
	}
	return a.Raw == b.Raw
}

// whole appends a value.
func (h *holding) whole(value gjson.Result) {
	first := true
	switch {
	case value.Type == gjson.String:
		h.out = gjson.AppendJSONString(h.out, value.Str)
	case value.IsObject():
		from, to := h.members(value)
		h.out = append(h.out, '{')
		for at := from; at < to; at++ {
			h.name(h.open[at].name, &first)
			h.whole(gjson.Parse(h.open[at].value))
		}
		h.out = append(h.out, '}')
		h.open = h.open[:from]
	case value.IsArray():
		h.out = append(h.out, '[')
		value.ForEach(func(_, v gjson.Result) bool {
			h.comma(&first)
			h.whole(v)
			return true
		})
		h.out = append(h.out, ']')
	default:
		h.out = append(h.out, value.Raw...)
	}
}

func (h *holding) name(name string, first *bool) {
	h.comma(first)
	h.out = append(gjson.AppendJSONString(h.out, name), ':')
}

func (h *holding) comma(first *bool) {
	if !*first {
		h.out = append(h.out, ',')
	}
	*first = false
}
