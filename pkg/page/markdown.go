package page

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// brief is foreign text for a page that shows many. It ends between two clauses, else between two words, so that no
// number is cut.
func brief(s string) string {
	if s = text.Line(s, maxText); len(s) <= maxBrief {
		return escape(s)
	}
	for _, mark := range []string{"; ", ". ", ", ", " "} {
		if end := strings.LastIndex(s[:maxBrief], mark); end >= maxBrief/3 {
			return escape(s[:end] + " …")
		}
	}
	return escape(text.Line(s, maxBrief))
}

// Bounds of foreign text on a page, in bytes, with the three of the ellipsis.
const (
	maxText  = 503
	maxBrief = 163 // on a page that shows many
)

// escape makes foreign text fit to stand anywhere in Markdown: in a sentence, a list, a
// table or a heading. It is one line of at most maxText bytes before the escaping, shown
// literally. No link, image, mention, emphasis, list, HTML or control survives.
func escape(s string) string { return literal(text.Line(s, maxText)) }

// literal escapes one line.
func literal(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case r == '<' || r == '>' || r == '&' || r == '@' || r == '|':
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]()#!~$", r), i == 0 && strings.ContainsRune("-+=", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ':' && i+1 < len(runes) && runes[i+1] == '/', r == '.' && startsLink(b.String()):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return startsList(b.String())
}

// startsLink reports whether a dot after s would make renderers see an address.
func startsLink(s string) bool { return strings.HasSuffix(strings.ToLower(s), "www") }

// startsList escapes a start of the line that would make it an item of a numbered list.
func startsList(s string) string {
	digits := strings.TrimLeft(s, "0123456789")
	if digits != s && (digits == "." || strings.HasPrefix(digits, ". ")) {
		return s[:len(s)-len(digits)] + `\` + digits
	}
	return s
}

// code shows a name literally in code type. Characters that no name contains are
// replaced.
func code(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:/@=+-#, ", r) {
			return r
		}
		return '?'
	}, text.Line(s, 200))
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
