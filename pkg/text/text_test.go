package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/test/texttest"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"plain: 4 of 5 (80%)":               "plain: 4 of 5 (80%)",
		"批处理 wartet, naïve 👍🏽":              "批处理 wartet, naïve 👍🏽",
		"a\tb\x1b[31mc\u202ed\n":            "a b [31mc d",
		"  a \r\n\r\n b  ":                  "a b",
		"pay\u200bpal":                      "pay pal",
		"a\u009bb\u0085c\u2028d\u3000e":     "a b c d e",
		"a\xffb\xe2\x82c\ufffdd":            "a b c d",
		"\u3164\u115f\uffa0\u034f":          "",
		"family \U0001F469\u200D\U0001F467": "family \U0001F469 \U0001F467",
		"<b> | `x` stay":                    "<b> | `x` stay",
	} {
		require.Equal(t, want, text.Line(in, 100), "%q", in)
		require.Equal(t, want, text.Clean(in), "%q", in)
	}
}

func TestLineIsCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abc…"}, {"äöü", 6, "äöü"}, {"äöüß", 6, "ä…"}, {"ab cdefg", 6, "ab …"},
		{"abcdef", 3, "…"}, {"abcdef", 2, ""}, {"abcdef", 0, ""}, {"", 0, ""}, {"abcdef \n\x00", 6, "abcdef"},
	} {
		require.Equal(t, c.want, text.Line(c.in, c.limit), "%q", c.in)
	}
	require.Len(t, text.Clean(strings.Repeat("x", 1<<20)), text.MaxClean)
}

func TestLines(t *testing.T) {
	require.Equal(t, "{\n\t\"a\":  1\n}\n", text.Lines("{\r\n\t\"a\":  1\n}\n", 100))
	require.Equal(t, "a b \nc   [1m", text.Lines("a\rb\u202e\nc\xff\x00\x1b[1m", 100))
	require.Equal(t, "abc…", text.Lines("abc\ndefg", 6))
}

func TestValid(t *testing.T) {
	for _, s := range []string{"", "a b", " a", "naïve 批处理 👍", "<b>"} {
		require.True(t, text.Valid(s), "%q", s)
	}
	for _, s := range []string{"\n", "\t", "\x1b", "\x7f", "\u009b", "\u202e", "\u2066", "\u200b", "\ufeff", "\u00a0", "\u2028", "\u3164", "\xff", "\ufffd", "\ue000", "\U000e0041"} {
		require.False(t, text.Valid(s), "%q", s)
	}
}

// slowLine is what Line does, step by step.
func slowLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' }), " ")
}

// check demands what callers rely on, for any text and limit.
func check(t testing.TB, s string, limit int) {
	line, lines := text.Line(s, limit), text.Lines(s, limit)
	texttest.Line(t, line, limit)
	texttest.Lines(t, lines, limit)
	require.LessOrEqual(t, len(lines), limit)
	require.Equal(t, line, text.Line(line, limit))
	require.Equal(t, lines, text.Lines(lines, limit))

	whole := slowLine(s)
	if len(whole) <= limit {
		require.Equal(t, whole, line)
	} else if limit >= len("…") {
		require.True(t, strings.HasPrefix(whole, strings.TrimSuffix(line, "…")) && strings.HasSuffix(line, "…"), "%q of %q", line, whole)
		require.Greater(t, len(line), limit-len("…")-utf8.UTFMax-1, "no more is cut than must be")
	}
	require.Equal(t, text.Valid(s), !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && slowLine(string(r)) == "" }))
}

func TestCorpus(t *testing.T) {
	for _, s := range texttest.Corpus() {
		for _, limit := range []int{0, 1, 3, 7, 100, text.MaxClean, 1 << 20} {
			check(t, s, limit)
		}
	}
}

func TestAnyText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom(texttest.Corpus()))).Draw(rt, "parts"), "")
		check(t, s, rapid.IntRange(0, 3000).Draw(rt, "limit"))
	})
}

func FuzzText(f *testing.F) {
	for _, s := range texttest.Corpus() {
		f.Add(s, 100)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) { check(t, s, min(max(limit, 0), 1<<20)) })
}
