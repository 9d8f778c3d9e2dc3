package source

import (
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// maxText bounds what is repeated of a commit in one line, in bytes.
const maxText = 500

// maxRemoval bounds what one commit can confirm.
const maxRemoval = 1_000_000

// subject returns the first line of a commit message, fit to print.
func subject(message string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return text.Line(first, maxText)
}

// ConfirmRemoval reads the trailer "Confirm-Removal: N" of a commit message.
// Trailers stand in the last paragraph; of several the smallest counts.
func ConfirmRemoval(message string) int {
	paragraphs := strings.Split(strings.ReplaceAll(strings.TrimSpace(message), "\r\n", "\n"), "\n\n")
	if len(paragraphs) < 2 {
		return 0
	}
	confirmed := 0
	for line := range strings.Lines(paragraphs[len(paragraphs)-1]) {
		key, value, ok := strings.Cut(line, ":")
		if !ok || !strings.EqualFold(strings.TrimSpace(key), "Confirm-Removal") {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 0 || n > maxRemoval {
			return 0
		}
		if confirmed == 0 || n < confirmed {
			confirmed = n
		}
	}
	return confirmed
}
