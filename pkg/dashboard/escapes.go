package dashboard

import "strings"

// withoutEscapes drops the sequences with which programs colour and move about a terminal: ESC [ … letter, ESC ] … BEL or ESC \, and
// ESC with one character.
func withoutEscapes(s string) string {
	if strings.IndexByte(s, esc) < 0 {
		return s
	}
	var plain strings.Builder
	for s != "" {
		at := strings.IndexByte(s, esc)
		if at < 0 {
			break
		}
		plain.WriteString(s[:at])
		s = s[at+sequence(s[at:]):]
	}
	plain.WriteString(s)
	return plain.String()
}

const (
	esc = '\x1b'
	bel = '\x07'
)

// sequence returns the length of the escape sequence that a text begins with. One that does not end is the rest of the text.
func sequence(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= '@' && s[i] <= '~' {
				return i + 1
			}
		}
	case ']', 'P', '_', '^':
		for i := 2; i < len(s); i++ {
			if s[i] == bel {
				return i + 1
			}
			if s[i] == esc && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	default:
		return 2
	}
	return len(s)
}
