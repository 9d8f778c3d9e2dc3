package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// Records are written in a small part of YAML, so that they can be read back
// without the cost of the whole language: block mappings and sequences, two
// spaces deep each; scalars on one line, plain where no reader can take them
// for anything else, otherwise in double quotes with the escapes of JSON; and
// text of several lines as a literal block. What does not fit is written by
// the YAML library. decode.go reads it.

// encode writes a file: what it is, then the value.
func encode(what string, v any) ([]byte, error) {
	in, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	w := writer{in: in, out: make([]byte, 0, len(in)+len(in)/4+128)}
	w.text("# " + strings.ToUpper(what[:1]) + what[1:] + ". Written by D-AROS; do not edit.\n")
	header := len(w.out)
	if !utf8.Valid(in) || !w.node(0, false) {
		b, err := yaml.JSONToYAML(escapeForYAML(in))
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", what, err)
		}
		w.out = append(w.out[:header], b...)
	}
	if len(w.out) > maxFile {
		return nil, fmt.Errorf("encode %s: has %d bytes, at most %d are allowed", what, len(w.out), maxFile)
	}
	return w.out, nil
}

// writer turns JSON, which is known to be valid and without spaces, into YAML.
// Its methods return false for what does not fit.
type writer struct {
	in  []byte
	pos int
	out []byte
}

func (w *writer) text(s string) { w.out = append(w.out, s...) }

func (w *writer) indent(n int) {
	for range n {
		w.out = append(w.out, ' ')
	}
}

// take consumes the next byte if it is c.
func (w *writer) take(c byte) bool {
	if w.in[w.pos] == c {
		w.pos++
		return true
	}
	return false
}

// node writes a value whose lines are indented by n, and ends the line. Inline
// says that the first line has begun already, after a dash.
func (w *writer) node(n int, inline bool) bool {
	if n > 2*maxDepth {
		return false
	}
	switch c := w.in[w.pos]; {
	case c == '{' && w.in[w.pos+1] != '}':
		return w.mapping(n, inline)
	case c == '[' && w.in[w.pos+1] != ']':
		return w.sequence(n, inline)
	default:
		return w.scalar(n)
	}
}

// maxDepth bounds how deep values nest in what is written and read here.
const maxDepth = 1000

func (w *writer) mapping(n int, inline bool) bool {
	w.pos++
	for first := true; first || w.take(','); first = false {
		if !first || !inline {
			w.indent(n)
		}
		key, ok := w.string()
		if !ok {
			return false
		}
		if plainKey(key) {
			w.out = append(w.out, key...)
		} else {
			w.quoted(key)
		}
		w.pos++ // the colon
		w.text(":")
		switch c, next := w.in[w.pos], w.in[w.pos+1]; {
		case c == '{' && next != '}':
			w.text("\n")
			ok = w.node(n+2, false)
		case c == '[' && next != ']':
			w.text("\n")
			ok = w.node(n, false)
		default:
			w.text(" ")
			ok = w.scalar(n + 2)
		}
		if !ok {
			return false
		}
	}
	w.pos++
	return true
}

func (w *writer) sequence(n int, inline bool) bool {
	w.pos++
	for first := true; first || w.take(','); first = false {
		if !first || !inline {
			w.indent(n)
		}
		w.text("- ")
		if !w.node(n+2, true) {
			return false
		}
	}
	w.pos++
	return true
}

// scalar writes a value on the line that has begun. The lines of a literal
// block are indented by n.
func (w *writer) scalar(n int) bool {
	if w.in[w.pos] == '"' {
		s, ok := w.string()
		switch {
		case !ok:
			return false
		case plainText(s):
			w.out = append(w.out, s...)
		case n > 0 && literalText(s):
			w.literal(s, n)
			return true
		default:
			w.quoted(s)
		}
		w.text("\n")
		return true
	}
	end := w.pos
	for end < len(w.in) && !strings.ContainsRune(",}]", rune(w.in[end])) {
		end++
	}
	if c := w.in[w.pos]; c == '{' || c == '[' { // empty
		end++
	} else if word := w.in[w.pos:end]; !constant(word) && !number(word) {
		return false
	}
	w.out = append(w.out, w.in[w.pos:end]...)
	w.pos = end
	w.text("\n")
	return true
}

// string reads a JSON string.
func (w *writer) string() ([]byte, bool) {
	start, escaped := w.pos, false
	for w.pos++; w.in[w.pos] != '"'; w.pos++ {
		if w.in[w.pos] == '\\' {
			escaped = true
			w.pos++
		}
	}
	w.pos++
	if !escaped {
		return w.in[start+1 : w.pos-1], true
	}
	var s string
	err := json.Unmarshal(w.in[start:w.pos], &s)
	return []byte(s), err == nil
}

// quoted writes s in double quotes, readable by YAML and JSON alike.
func (w *writer) quoted(s []byte) {
	w.text(`"`)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r == '\n':
			w.text(`\n`)
		case r == '\t':
			w.text(`\t`)
		case !literalRune(r):
			w.out = fmt.Appendf(w.out, `\u%04x`, r)
		default:
			w.out = append(w.out, s[i:i+size]...)
		}
		i += size
	}
	w.text(`"`)
}

// literal writes a block of lines.
func (w *writer) literal(s []byte, n int) {
	s, ends := bytes.CutSuffix(s, []byte("\n"))
	w.text("|")
	if !ends {
		w.text("-")
	}
	w.text("\n")
	for line := range bytes.SplitSeq(s, []byte("\n")) {
		if len(line) > 0 {
			w.indent(n)
			w.out = append(w.out, line...)
		}
		w.text("\n")
	}
}

// literalRune says whether YAML can show r as it is.
func literalRune(r rune) bool {
	return r >= 0x20 && (r < 0x7f || r > 0xa0) && r != 0x2028 && r != 0x2029 && r != 0xfeff && r != 0xfffe && r != 0xffff
}

// literalText says whether s is text of several lines that a literal block
// holds without doubt: no line starts with a tab or ends in a space, and the
// first and last lines are neither empty nor indented.
func literalText(s []byte) bool {
	if len(s) < 2 || bytes.IndexByte(s, '\n') < 0 || s[0] == '\n' || s[0] == ' ' || bytes.HasSuffix(s, []byte("\n\n")) {
		return false
	}
	for line := range bytes.SplitSeq(s, []byte("\n")) {
		if len(line) > 0 && (line[0] == '\t' || line[len(line)-1] == ' ' || line[len(line)-1] == '\t') {
			return false
		}
		if bytes.ContainsFunc(line, func(r rune) bool { return r != '\t' && !literalRune(r) }) || bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("\t")) {
			return false
		}
	}
	return true
}

// plainBytes are what plain scalars are made of.
var plainBytes = func() (table [256]bool) {
	for c := range table {
		table[c] = plainStart(byte(c)) || c >= '0' && c <= '9' || strings.IndexByte(" .,:;()+=%@-'", byte(c)) >= 0
	}
	return table
}()

func plainStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/'
}

// plainText says whether s is read as itself, and as a string, when it stands
// without quotes.
func plainText(s []byte) bool {
	if len(s) == 0 || !plainStart(s[0]) || s[len(s)-1] == ' ' || s[len(s)-1] == ':' || reserved(s) {
		return false
	}
	for i, c := range s {
		if !plainBytes[c] || c == ':' && s[i+1] == ' ' {
			return false
		}
	}
	return true
}

// plainKey says the same of a key.
func plainKey(s []byte) bool { return len(s) <= 128 && bytes.IndexByte(s, ':') < 0 && plainText(s) }

// reserved says whether YAML takes a word for something else than itself.
func reserved(s []byte) bool {
	if len(s) > 5 {
		return false
	}
	switch strings.ToLower(string(s)) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

func constant(s []byte) bool {
	switch string(s) {
	case "true", "false", "null":
		return true
	}
	return false
}

// number says whether s is a number as JSON writes it, of a size that has a
// value. Octal and grouped digits, which only YAML has, are none.
func number(s []byte) bool {
	digits := bytes.TrimPrefix(s, []byte("-"))
	if len(digits) == 0 || digits[0] < '0' || digits[0] > '9' || !json.Valid(s) {
		return false
	}
	_, err := strconv.ParseFloat(string(s), 64)
	return err == nil
}

// escapeForYAML escapes the characters that JSON may hold literally and YAML
// may not, or reads as the end of a line: one of them in somebody's message
// would otherwise make the whole ledger unwritable.
func escapeForYAML(b []byte) []byte {
	bad := func(r rune) bool { return r >= 0x20 && !literalRune(r) }
	if !bytes.ContainsFunc(b, bad) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if bad(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}
