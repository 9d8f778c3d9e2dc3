// Package text makes foreign text safe to show.
//
// Text from Git, the status branch, a cluster, a pod or the network may steer a terminal (escape sequences), forge a line
// of a log (line breaks), read differently from what it is (direction marks, invisible characters) or be no text at all
// (broken UTF-8). Whoever puts such text into an error, a log, a record, a page, an event or on a terminal passes it
// through one function of this package first:
//
//	Line(s, n)   one line of at most n bytes: messages, cells, anything that stands in a sentence
//	Clean(s)     Line with the limit that suits most: MaxClean bytes
//	Lines(s, n)  keeps line breaks and tabs: what a job leaves, what a server answers
//	Valid(s)     reports whether s can be shown as it is: to refuse a name instead of changing it
//
// All of them agree on which characters show: letters, marks, digits, punctuation, symbols and the space. These do not,
// and each becomes a space: controls (C0, DEL, C1), format characters (direction marks U+200E, U+200F, U+202A–U+202E and
// U+2066–U+2069, zero-width characters, U+FEFF, tags), characters that draw nothing (such as the Hangul fillers), every
// space but U+0020, the separators U+2028 and U+2029, private use, unassigned characters, and bytes that are not UTF-8.
//
// A limit counts bytes. Text over its limit is cut between two characters and ends with "…", which counts too.
//
// The package never escapes: what means something to Markdown, HTML or a shell stays, and pkg/page takes care of the first
// two. It never hides secrets; who has them leaves them out.
package text

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxClean is the limit of Clean, in bytes.
const MaxClean = 2000

const ellipsis = "…"

// Clean returns s as one line of at most MaxClean bytes.
func Clean(s string) string { return Line(s, MaxClean) }

// Line returns s as one line of at most limit bytes. A run of spaces and of characters that do not show becomes one space;
// at the ends it goes. The result is Valid, and Line leaves it alone.
func Line(s string, limit int) string {
	var b strings.Builder
	b.Grow(min(len(s), limit+utf8.UTFMax))
	gap := false
	for _, r := range s {
		if r == ' ' || !shows(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
		if b.Len() > limit {
			return cut(b.String(), limit)
		}
	}
	return b.String()
}

// Lines returns s with its line breaks and tabs, in at most limit bytes. "\r\n" becomes "\n". Spaces stay as they are, as
// the text may be data that a program reads.
func Lines(s string, limit int) string {
	var b strings.Builder
	b.Grow(min(len(s), limit+utf8.UTFMax))
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			continue
		case r != '\n' && r != '\t' && !shows(r):
			r = ' '
		}
		b.WriteRune(r)
		if b.Len() > limit {
			return cut(b.String(), limit)
		}
	}
	return b.String()
}

// Valid reports whether every character of s shows.
func Valid(s string) bool {
	for _, r := range s {
		if !shows(r) {
			return false
		}
	}
	return true
}

// shows reports whether a character draws something, or is the space. A broken byte reads as U+FFFD.
func shows(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r < 0x7f
	}
	return r != utf8.RuneError && unicode.IsPrint(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// cut shortens valid text to limit bytes, the ellipsis included.
func cut(s string, limit int) string {
	n := limit - len(ellipsis)
	if n < 0 {
		return ""
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}

// Writer passes on what is written to it with Lines: a log or a report that may repeat text of people, pods and servers.
type Writer struct{ Out io.Writer }

func (w Writer) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.Out, Lines(string(b), len(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
