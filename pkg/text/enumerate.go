package text

import (
	"fmt"
	"strings"
)

// Enumerate joins the first elements of a list, each as fmt prints it and made clean, and counts the others: "acme, bolt and 3 more".
func Enumerate[T any](list []T, most int) string {
	clean := make([]string, 0, most)
	for _, element := range list[:min(len(list), most)] {
		clean = append(clean, Clean(fmt.Sprint(element)))
	}
	if more := len(list) - most; more > 0 {
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
