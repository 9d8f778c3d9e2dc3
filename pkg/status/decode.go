package status

import (
	"bytes"
	"reflect"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"sigs.k8s.io/yaml"
)

// decode reads a file strictly: unknown and repeated fields are errors. What
// encode wrote is read without the YAML library; what somebody has written by
// hand, or wrong, is left to it. Where both give a value it is the same, but for
// the digits of numbers, which the library may lose, and for the key "<<", which
// it takes for an order even in quotes: nobody's data can make a file unreadable.
func decode(b []byte, into any) error {
	r := reader{in: b, words: knownWords.Get().(*words)}
	defer knownWords.Put(r.words)
	v := reflect.ValueOf(into)
	if r.file(func() bool { return decoding(v.Type().Elem()).block(&r, v.UnsafePointer()) }) {
		return nil
	}
	// The library knows how to say what is wrong, and reads a number as text
	// where text belongs. It must start from nothing.
	v.Elem().SetZero()
	return yaml.UnmarshalStrict(b, into)
}

// reader reads the YAML that writer writes, into Go values or, where the value
// is opaque, as JSON. Its methods return false for everything else.
type reader struct {
	in  []byte
	pos int    // at the start of a line, or of what follows a dash
	out []byte // JSON

	// indent is the column of pos.
	indent int
	depth  int
	keys   []span // of the mappings that are being read
	words  *words // nil: none are shared
}

// file reads a whole file: a comment, then a value.
func (r *reader) file(value func() bool) bool {
	if !utf8.Valid(r.in) || len(r.in) == 0 || r.in[len(r.in)-1] != '\n' {
		return false
	}
	for r.pos < len(r.in) && r.in[r.pos] == '#' {
		end := r.end()
		if bytes.ContainsFunc(r.in[r.pos:end], func(c rune) bool { return !literalRune(c) }) {
			return false
		}
		r.pos = end + 1
	}
	r.measure()
	return r.pos < len(r.in) && r.indent == 0 && value() && r.pos == len(r.in)
}

// end returns where the present line ends.
func (r *reader) end() int { return r.pos + bytes.IndexByte(r.in[r.pos:], '\n') }

// rest returns the rest of the line and goes to the next.
func (r *reader) rest() []byte {
	end := r.end()
	s := r.in[r.pos:end]
	r.pos = end + 1
	r.measure()
	return s
}

// measure finds the indentation of the line that starts at pos and goes to its
// first character. After the last line the indentation is -1.
func (r *reader) measure() {
	r.indent = 0
	for r.pos < len(r.in) && r.in[r.pos] == ' ' {
		r.pos++
		r.indent++
	}
	if r.pos == len(r.in) {
		r.indent = -1
	}
}

func (r *reader) dash() bool {
	return r.in[r.pos] == '-' && r.pos+1 < len(r.in) && r.in[r.pos+1] == ' '
}

// key finds a key and its colon on the present line: the key as it stands
// there, and where what follows the colon starts.
func (r *reader) key() (key []byte, after int, ok bool) {
	end := r.end()
	line := r.in[r.pos:end]
	if len(line) == 0 {
		return nil, 0, false
	}
	n := 0
	if line[0] == '"' {
		if n = quotedEnd(line); n < 0 {
			return nil, 0, false
		}
	} else if n = bytes.IndexByte(line, ':'); n < 0 || !plainKey(line[:n]) {
		return nil, 0, false
	}
	if n >= len(line) || line[n] != ':' || n+1 < len(line) && line[n+1] != ' ' {
		return nil, 0, false
	}
	return line[:n], r.pos + n + 1, true
}

// pairs reads the mapping that starts at pos. It stops at each value, between the
// colon of the key and what follows, for each to call pair.
func (r *reader) pairs(each func(key []byte, n int) bool) bool {
	n, known := r.indent, len(r.keys)
	defer func() { r.keys = r.keys[:known] }()
	for r.indent == n {
		key, after, ok := r.key()
		if !ok || !r.newKey(key, known) {
			return false
		}
		if r.pos = after; !each(key, n) {
			return false
		}
	}
	return r.indent < n
}

// pair reads the value after the colon of a key of a mapping that is indented by n.
func (r *reader) pair(d *decoder, p unsafe.Pointer, n int) bool {
	if r.in[r.pos] == ' ' {
		r.pos++
		return d.line(r, p, n+2)
	}
	r.pos++
	r.measure()
	return (r.indent == n+2 || r.indent == n && r.dash()) && d.block(r, p)
}

// quotedEnd returns the length of the quoted scalar that s starts with, -1 if
// it does not end.
func quotedEnd(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// text returns what a scalar, plain or quoted, says.
func (r *reader) text(s []byte) (string, bool) {
	if s[0] != '"' {
		return r.words.text(s), true
	}
	simple := true
	for _, c := range s[1 : len(s)-1] {
		if c < 0x20 {
			return "", false
		}
		simple = simple && c < 0x7f && c != '\\'
	}
	if simple {
		return r.words.text(s[1 : len(s)-1]), true
	}
	return unescape(s[1 : len(s)-1])
}

// unescape reads the escapes that writer writes: they mean the same in YAML and
// in JSON. Others are left to the library.
func unescape(s []byte) (string, bool) {
	if bytes.ContainsFunc(s, func(c rune) bool { return !literalRune(c) }) {
		return "", false
	}
	text := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			text = append(text, s[i])
			continue
		}
		i++
		switch {
		case s[i] == '\\' || s[i] == '"':
			text = append(text, s[i])
		case s[i] == 'n':
			text = append(text, '\n')
		case s[i] == 't':
			text = append(text, '\t')
		case s[i] == 'u' && i+4 < len(s):
			n, err := strconv.ParseUint(string(s[i+1:i+5]), 16, 16)
			if err != nil || utf16.IsSurrogate(rune(n)) {
				return "", false
			}
			text = utf8.AppendRune(text, rune(n))
			i += 4
		default:
			return "", false
		}
	}
	return string(text), true
}

// literal reads a block of lines that are indented by n, after the mark that
// announces it.
func (r *reader) literal(n int) (text []byte, ok bool) {
	end := r.end()
	mark := string(r.in[r.pos:end])
	if n <= 0 || mark != "|" && mark != "|-" {
		return nil, false
	}
	r.pos = end + 1
	for r.pos < len(r.in) {
		start := r.pos
		r.measure()
		if r.indent < n && (r.pos == len(r.in) || r.in[r.pos] != '\n') {
			break
		}
		end := r.end()
		if r.in[r.pos] == '\n' && r.indent > 0 {
			return nil, false
		}
		if r.indent > 0 {
			text = append(text, r.in[start+n:end]...)
		}
		text = append(text, '\n')
		r.pos = end + 1
	}
	if r.pos == len(r.in) {
		r.indent = -1
	}
	if mark == "|-" {
		text = bytes.TrimSuffix(text, []byte("\n"))
		if bytes.HasSuffix(text, []byte("\n")) {
			return nil, false
		}
	}
	return text, literalText(text)
}

// span is a key where it stands.
type span []byte

// newKey remembers a key and says whether the present mapping, whose keys start
// at from, has it for the first time.
func (r *reader) newKey(key []byte, from int) bool {
	if len(r.keys)-from > maxKeys {
		return false // time grows with the square
	}
	for _, other := range r.keys[from:] {
		if (len(other) == len(key) || key[0] == '"' || other[0] == '"') && r.sameKey(other, key) {
			return false
		}
	}
	r.keys = append(r.keys, key)
	return true
}

// maxKeys bounds the keys of a mapping that is read here.
const maxKeys = 1000

func (r *reader) sameKey(a, b []byte) bool {
	x, ok := r.text(a)
	y, also := r.text(b)
	return !ok || !also || x == y
}
