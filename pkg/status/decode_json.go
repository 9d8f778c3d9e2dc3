package status

import (
	"encoding/json"
	"unsafe"
)

// These methods read values that nobody here looks into, and keep them as JSON.

// node reads the value that starts at pos.
func (r *reader) node() bool {
	if r.depth++; r.depth > maxDepth {
		return false
	}
	defer func() { r.depth-- }()
	if r.dash() {
		return r.sequence()
	}
	if _, _, ok := r.key(); ok {
		return r.mapping()
	}
	return r.scalar(r.indent)
}

func (r *reader) sequence() bool {
	n := r.indent
	r.json('[')
	for first := true; r.indent == n && r.dash(); first = false {
		if !first {
			r.json(',')
		}
		r.pos += 2
		r.indent += 2
		if r.in[r.pos] == ' ' || !r.node() {
			return false
		}
	}
	r.json(']')
	return r.indent <= n // a key of the mapping that holds the sequence may follow
}

func (r *reader) mapping() bool {
	value := decoder{
		block: func(r *reader, _ unsafe.Pointer) bool { return r.node() },
		line:  func(r *reader, _ unsafe.Pointer, n int) bool { return r.scalar(n) },
	}
	open := len(r.out)
	r.json('{')
	ok := r.pairs(func(key []byte, n int) bool {
		if len(r.out) > open+1 {
			r.json(',')
		}
		if !r.string(key) {
			return false
		}
		r.json(':')
		return r.pair(&value, nil, n)
	})
	r.json('}')
	return ok
}

// scalar reads the rest of the line as a value, or the block of lines that it
// announces, which are indented by n.
func (r *reader) scalar(n int) bool {
	s := r.in[r.pos:r.end()]
	switch {
	case len(s) == 0:
		return false
	case s[0] == '|':
		text, ok := r.literal(n)
		return ok && r.quote(string(text))
	case constant(s) || string(s) == "{}" || string(s) == "[]" || number(s):
		r.out = append(r.out, r.rest()...)
		return true
	case s[0] == '"' && quotedEnd(s) != len(s), s[0] != '"' && !plainText(s):
		return false
	}
	return r.string(r.rest())
}

// json adds a byte.
func (r *reader) json(c byte) { r.out = append(r.out, c) }

// string adds a scalar, plain or quoted, as encoding/json writes it.
func (r *reader) string(s []byte) bool {
	text, ok := r.text(s)
	return ok && r.quote(text)
}

func (r *reader) quote(text string) bool {
	if simple(text) {
		r.out = append(append(append(r.out, '"'), text...), '"')
		return true
	}
	b, err := json.Marshal(text)
	r.out = append(r.out, b...)
	return err == nil
}

// simple says whether a text stands in JSON as it is.
func simple(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}
