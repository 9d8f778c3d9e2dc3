package dashboard

import "regexp"

// escapes are the sequences with which programs colour and move about a terminal: ESC [ … letter, ESC ] … BEL or ESC \, and
// ESC with one character. One that does not end is the rest of a text.
var escapes = regexp.MustCompile(`\x1b(?s:\[[^@-~]*(?:[@-~]|$)|[\]P_^].*?(?:\x07|\x1b\\|$)|[^\[\]P_^]|$)`)

// withoutEscapes drops escape sequences.
func withoutEscapes(s string) string { return escapes.ReplaceAllLiteralString(s, "") }
