package sops

import (
	"regexp"
	"slices"
	"strings"
)

// rules say which values of a file are encrypted: all of them, but for one rule that the
// file may have.
type rules struct {
	suffix   string         // of a key on the way to the value
	key      *regexp.Regexp // that matches a key on the way
	comment  *regexp.Regexp // that matches a comment before the value, or before something around it
	selected bool           // what the rule finds is encrypted and the rest is not; else the other way round
}

// defaultSuffix marks what stays as it is in a file without a rule.
const defaultSuffix = "_unencrypted"

// compile reads the rule of a file.
func (m *metadata) compile() (r rules, err error) {
	found := 0
	for _, name := range ruleNames {
		value := m.fields[name]
		if value == "" {
			continue
		}
		if found++; found > 1 {
			return r, wrong(ErrFormat, "it has several rules about what is encrypted, and SOPS allows one")
		}
		r.selected = strings.HasPrefix(name, "encrypted_")
		switch {
		case strings.HasSuffix(name, "_suffix"):
			r.suffix = value
		case strings.HasSuffix(name, "_comment_regex"):
			r.comment, err = regexp.Compile(value)
		default:
			r.key, err = regexp.Compile(value)
		}
		if err != nil {
			return r, wrong(ErrFormat, "sops.%s is no regular expression", name)
		}
	}
	if found == 0 {
		r.suffix = defaultSuffix
	}
	return r, nil
}

// encrypted reports whether the value at a place is encrypted, given the comments on the
// way to it. The last comment is the value itself if that is a comment.
func (r *rules) encrypted(at []string, comments [][]string, isComment bool) bool {
	found := false
	switch {
	case r.suffix != "":
		found = slices.ContainsFunc(at, func(key string) bool { return strings.HasSuffix(key, r.suffix) })
	case r.key != nil:
		found = slices.ContainsFunc(at, r.key.MatchString)
	case r.comment != nil:
		for i, level := range comments {
			if r.selected && isComment && i == len(comments)-1 {
				level = level[:len(level)-1] // a comment that asks for encryption is not encrypted itself
			}
			found = found || slices.ContainsFunc(level, r.comment.MatchString)
		}
	}
	return found == r.selected
}
