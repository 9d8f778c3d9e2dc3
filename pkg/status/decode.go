package status

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// decode reads a file strictly: unknown and repeated fields are errors. What
// encode wrote is read without the YAML library; what somebody has written by
// hand, or wrong, is left to it. Both give the same value where both give one.
func decode(b []byte, into any) error {
	r := reader{in: b, out: make([]byte, 0, len(b))}
	if r.file() {
		d := json.NewDecoder(bytes.NewReader(r.out))
		d.DisallowUnknownFields()
		if d.Decode(into) == nil {
			return nil
		}
		// The library knows how to say what is wrong, and reads a number as text
		// where text belongs. It must start from nothing.
		reflect.ValueOf(into).Elem().SetZero()
	}
	return yaml.UnmarshalStrict(b, into)
}

// reader turns the YAML that writer writes into JSON. Its methods return false
// for everything else.
type reader struct {
	in  []byte
	pos int // at the start of a line, or of what follows a dash
	out []byte

	// indent is the column of pos.
	indent int
	depth  int
}

// file reads a whole file: a comment, then a value.
func (r *reader) file() bool {
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
	return r.pos < len(r.in) && r.indent == 0 && r.node() && r.pos == len(r.in)
}

// end returns where the present line ends.
func (r *reader) end() int { return r.pos + bytes.IndexByte(r.in[r.pos:], '\n') }

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
	r.out = append(r.out, '[')
	for first := true; r.indent == n && r.dash(); first = false {
		if !first {
			r.out = append(r.out, ',')
		}
		r.pos += 2
		r.indent += 2
		if r.in[r.pos] == ' ' || !r.node() {
			return false
		}
	}
	r.out = append(r.out, ']')
	return r.indent <= n // a key of the mapping that holds the sequence may follow
}

func (r *reader) mapping() bool {
	n := r.indent
	var keys keySet
	r.out = append(r.out, '{')
	for first := true; r.indent == n; first = false {
		if !first {
			r.out = append(r.out, ',')
		}
		key, after, ok := r.key()
		if !ok || len(key) > maxKey || !r.string(key) || !keys.add(key) {
			return false
		}
		r.out = append(r.out, ':')
		r.pos = after
		if r.in[r.pos] == ' ' {
			r.pos++
			if !r.scalar(n + 2) {
				return false
			}
			continue
		}
		r.pos++
		r.measure()
		below := r.indent == n+2 || r.indent == n && r.dash()
		if !below || !r.node() {
			return false
		}
	}
	r.out = append(r.out, '}')
	return r.indent < n
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

// scalar reads the rest of the line as a value, or the block of lines that it
// announces, which are indented by n.
func (r *reader) scalar(n int) bool {
	end := r.end()
	s := r.in[r.pos:end]
	switch {
	case len(s) == 0:
		return false
	case s[0] == '|':
		return r.literal(n, string(s) == "|-", len(s) > 1 && string(s) != "|-")
	case constant(s) || string(s) == "{}" || string(s) == "[]" || canonicalNumber(s):
		r.out = append(r.out, s...)
	case s[0] == '"' && quotedEnd(s) != len(s), s[0] != '"' && !plainText(s):
		return false
	case !r.string(s):
		return false
	}
	r.pos = end + 1
	r.measure()
	return true
}

// string adds a scalar, plain or quoted, as JSON.
func (r *reader) string(s []byte) bool {
	if s[0] != '"' {
		r.out = append(r.out, '"')
		r.out = append(r.out, s...)
		r.out = append(r.out, '"')
		return true
	}
	simple := true
	for _, c := range s[1 : len(s)-1] {
		if c < 0x20 {
			return false
		}
		simple = simple && c < 0x7f && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	if simple {
		r.out = append(r.out, s...)
		return true
	}
	// Escapes that both languages have mean the same; the others are errors in
	// JSON, but for half a character and the slash.
	var text string
	if bytes.ContainsFunc(s, func(c rune) bool { return !literalRune(c) }) || bytes.Contains(s, []byte(`\/`)) ||
		json.Unmarshal(s, &text) != nil || bytes.Contains(bytes.ToLower(s), []byte(`\ud`)) {
		return false
	}
	return r.quote(text)
}

// quote adds text as encoding/json writes it.
func (r *reader) quote(text string) bool {
	b, err := json.Marshal(text)
	r.out = append(r.out, b...)
	return err == nil
}

// literal reads a block of lines that are indented by n.
func (r *reader) literal(n int, cut, unknown bool) bool {
	if unknown || n == 0 {
		return false
	}
	r.pos = r.end() + 1
	var text []byte
	for r.pos < len(r.in) {
		start := r.pos
		r.measure()
		if r.indent < n && (r.pos == len(r.in) || r.in[r.pos] != '\n') {
			break
		}
		end := r.end()
		if r.in[r.pos] == '\n' && r.indent > 0 {
			return false
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
	if cut {
		text = bytes.TrimSuffix(text, []byte("\n"))
		if bytes.HasSuffix(text, []byte("\n")) {
			return false
		}
	}
	return literalText(text) && r.quote(string(text))
}

// keySet finds keys that appear twice in one mapping. Fields of Go are found in
// any case, so that case does not count.
type keySet struct {
	few  []string
	many map[string]bool
}

func (k *keySet) add(key []byte) bool {
	s := string(key)
	if key[0] == '"' && json.Unmarshal(key, &s) != nil {
		return false
	}
	if k.many != nil {
		s = folded(s)
		known := k.many[s]
		k.many[s] = true
		return !known
	}
	for _, other := range k.few {
		if strings.EqualFold(other, s) {
			return false
		}
	}
	if k.few = append(k.few, s); len(k.few) > 32 {
		k.many = map[string]bool{}
		for _, other := range k.few {
			k.many[folded(other)] = true
		}
	}
	return true
}

// folded returns the same for all strings that differ in case only.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}
