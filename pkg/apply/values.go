package apply

import (
	"slices"
	"strings"
	"unicode"

	"github.com/d-aros/d-aros/pkg/text"
)

// An API server and its webhooks repeat values of the objects that they refuse, and the
// status branch has more readers than an object. So the words of a refusal are kept and
// its values are cut out.

// scanned bounds how much of an answer is read, in bytes: the words come first.
const scanned = 8 << 10

// cutMark stands in place of a value that was cut out.
const cutMark = "…"

// cutValues returns a text as one line of at most limit bytes, without what stands in
// quotes or brackets and without words that may be tokens.
func cutValues(s string, limit int) string {
	s = text.Line(s, scanned)
	var b strings.Builder
	for i := 0; i < len(s); {
		n := valueAt(s, i)
		if n == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteString(cutMark)
		i += n
	}
	words := strings.Fields(b.String())
	for i := range words {
		after := ""
		if i > 0 {
			after = words[i-1]
		}
		words[i] = cutToken(after, words[i])
	}
	return text.Line(strings.Join(words, " "), limit)
}

// WithoutValues returns what others say about an object as one short line, without what
// may be values of it.
func WithoutValues(said string) string { return cutValues(said, messageCap) }

// cutPath returns a path to a field. A webhook may write anything in its place.
func cutPath(path string) string {
	if len(path) > fieldCap || strings.ContainsAny(path, " \"'`{}") {
		return cutValues(path, fieldCap)
	}
	return cutToken("", text.Line(path, fieldCap))
}

// valueAt returns the length of the quoted or bracketed text that begins at a place, 0 if
// none does. What is not closed goes on to the end.
func valueAt(s string, at int) int {
	switch c := s[at]; c {
	case '"', '`':
		return quotedAt(s, at)
	case '\'':
		if at > 0 && isWord(s[at-1]) {
			return 0 // an apostrophe
		}
		return quotedAt(s, at)
	case '{', '[':
		if index := strings.IndexByte(s[at:], ']'); c == '[' && at > 0 && isWord(s[at-1]) && index > 0 && strings.Trim(s[at+1:at+index], "0123456789") == "" {
			return 0 // the index in a path
		}
		depth := 0
		for i := at; i < len(s); {
			switch s[i] {
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1 - at
				}
			case '"', '`':
				i += quotedAt(s, i)
				continue
			}
			i++
		}
		return len(s) - at
	}
	return 0
}

// quotedAt returns the length of the text in quotes at a place, the quotes included.
func quotedAt(s string, at int) int {
	for i := at + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[at] == '"':
			i++
		case s[i] == s[at]:
			return i + 1 - at
		}
	}
	return len(s) - at
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// secretNames are words after which a secret follows.
var secretNames = []string{"password", "passwd", "token", "secret", "authorization", "bearer", "basic", "credential", "apikey", "key"}

// cutToken returns a word, or of a word that may be a secret what names it.
func cutToken(before, word string) string {
	named := func(s string) bool {
		s = strings.ToLower(strings.Trim(s, ".,;:=()<>-_"))
		return slices.ContainsFunc(secretNames, func(name string) bool { return strings.HasSuffix(s, name) || strings.HasSuffix(s, name+"s") })
	}
	if name, value, ok := strings.Cut(word, "="); ok && value != "" {
		if named(name) || !isAmount(value) {
			return cutToken("", name) + "=" + cutMark
		}
	}
	if named(before) && (strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=") || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) && !strings.ContainsRune(".,;:", r) })) {
		return cutMark
	}
	if name, value, ok := strings.Cut(word, ":"); ok && value != "" && named(name) {
		return name + ":" + cutMark
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune(".,;:()<>[]/", r) }) {
		if len(part) >= 64 || len(part) >= 16 && strings.ContainsAny(part, "0123456789") {
			return cutMark
		}
	}
	return word
}

// isAmount reports whether a value is an amount of a resource, or several: 500m,limits.cpu=2.
func isAmount(value string) bool {
	if first, rest, more := strings.Cut(value, ","); more && rest != "" {
		_, next, ok := strings.Cut(rest, "=")
		return ok && isAmount(first) && isAmount(next)
	}
	value = strings.Trim(value, ",;.")
	unit := strings.TrimLeft(value, "0123456789.")
	return value != "" && len(value) <= 20 && unit != value && len(unit) <= 2
}

// valueTypes are how a cause begins that goes on with the refused value.
var valueTypes = []string{"Invalid value", "Unsupported value", "Duplicate value", "Not found", "Too many"}

// causeWithoutValue returns a cause without the refused value: what is wrong, and what
// is allowed. The value is not always in quotes.
func causeWithoutValue(cause string) string {
	cause = text.Line(cause, 16*scanned)
	what, rest, ok := strings.Cut(cause, ": ")
	if !ok {
		return cause
	}
	if !slices.Contains(valueTypes, what) {
		return cause
	}
	for i := 0; i < len(rest); {
		if strings.HasPrefix(rest[i:], ": ") {
			return what + ": " + rest[i+2:]
		}
		i += max(1, valueAt(rest, i))
	}
	return what
}
