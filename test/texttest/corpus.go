// Package texttest has the hostile texts that every way out of the programs is tested with: to a terminal, a log, a page,
// a comment and an event.
package texttest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/text"
)

// Corpus returns the hostile texts. Each has the words "head" and "tail" in plain letters at its ends, so that a test can
// tell that the text was shown at all. The caller owns the slice.
func Corpus() []string {
	list := []string{
		// Controls: terminal sequences, forged lines, C1.
		"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "\x9b31m", "\u009b31m", "\u0085",
		"one\ntwo", "one\r\ntwo", "one\rtwo", "\x00", "\x08\x08\x08", "\x7f", "\t", "\v\f",
		"\nSource-Commit: 666\nTransitions: 9", "\nlevel=ERROR msg=forged", `"} {"level":"ERROR","msg":"forged"}`,
		// Direction marks and other characters that do not show.
		"\u202egnp.exe", "\u202a\u202b\u202c\u202d", "\u2066\u2067\u2068\u2069", "\u200e\u200f\u061c", "pay\u200bpal", "\u200c\u200d\u2060\ufeff",
		"so\u00adft", "\u3164\u115f\uffa0", "\u2028line\u2029paragraph", "\u00a0\u3000", "\U000e0041\U000e007f", "\ue000", "\ufff9\ufffb",
		// Broken UTF-8: loose bytes, overlong forms, surrogates, a character cut off.
		"\xff\xfe", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\ufffd",
		// Markdown.
		"**bold** _it_ ~~gone~~ `code` ``` fence", "# heading", "\n\n# Heading\n", "a | b | c", "[a](https://evil.example)", "![b](http://evil.example/i.png)",
		"@everyone @acme/team #1 GH-1", "www.evil.example", "WWW.evil.example", "https://evil.example", "mailto:a@b.c", "- item", "1. item", "1) item", "+ item", "=====",
		"> quote", "$\\href{x}{y}$", "$$x$$", "[^1]: note", "[ref]: https://evil.example", "\\", "\\`", "a\\|b", "---", "***", ":+1:", "```mermaid\ngraph LR\n```",
		"    indented", "| --- |", "]", "![", "](x)",
		// HTML.
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- comment", "-->", "</details>", "<b>", "&lt;b&gt;", "&#60;b&#62;", "&amp;", "<https://evil.example>",
		`" onmouseover="alert(1)`, "<a href='javascript:alert(1)'>",
		// Size.
		strings.Repeat("long ", 2000), strings.Repeat("ä", 5000), strings.Repeat("|", 5000), strings.Repeat("\u202e", 5000), strings.Repeat("<", 5000),
	}
	for i, s := range list {
		list[i] = "head" + s + "tail"
	}
	return append(list, list[0][len("head"):], "\u202e", "\x1b", "\xff", " ", "\n", "")
}

// Line demands that shown is a line that a terminal, a log or an event can have, of at most limit bytes.
func Line(t testing.TB, shown string, limit int) {
	t.Helper()
	require.True(t, text.Valid(shown), "%q has characters that do not show", shown)
	require.LessOrEqual(t, len(shown), limit, "%.100q", shown)
}

// Lines demands the same of each line of shown.
func Lines(t testing.TB, shown string, limit int) {
	t.Helper()
	for line := range strings.SplitSeq(strings.ReplaceAll(shown, "\t", " "), "\n") {
		Line(t, line, limit)
	}
}
