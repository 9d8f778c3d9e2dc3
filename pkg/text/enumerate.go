package text

import (
	"fmt"
	"strings"
)

// Enumerate joins the first words of a list, each made clean, and counts the others: "acme, bolt and 3 more".
func Enumerate(words []string, most int) string {
	clean := make([]string, 0, most)
	for _, w := range words[:min(len(words), most)] {
		clean = append(clean, Clean(w))
	}
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(clean, ", "), more)
	}
	return strings.Join(clean, ", ")
}

// Count writes a number of things: "1 problem", "2 problems".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
