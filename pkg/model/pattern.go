package model

import (
	"slices"
	"strings"
)

// Matches reports whether one of some patterns, in which * stands for any characters,
// matches a text.
func Matches(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return glob(strings.Split(pattern, "*"), text) })
}

// glob reports whether a text is made of the given parts, with any characters between them.
func glob(parts []string, text string) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return text == first
	}
	if !strings.HasPrefix(text, first) || !strings.HasSuffix(text[len(first):], last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}
