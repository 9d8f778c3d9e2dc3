package source

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// maxText bounds what is repeated of a commit in one line, in bytes.
const maxText = 500

// subject returns the first line of a commit message, fit to print.
func subject(message string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return text.Line(first, maxText)
}
