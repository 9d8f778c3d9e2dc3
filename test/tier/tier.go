// Package tier tells a test how much to do in each of the three tiers: make quick (go test -short), make test (go test)
// and make soak (go test -soak). A test of one tier checks less than the same test in a higher tier, never something else.
package tier

import (
	"flag"
	"testing"
)

// soak is a flag of every test binary whose tests import this package; make soak finds these by the import.
var soak = flag.Bool("soak", false, "check all that there is to check, as make soak does: takes minutes to hours")

// Soak reports whether the tests run as part of make soak.
func Soak() bool { return *soak }

// Count returns how many of something a test checks: quick under -short, all under -soak, else usual.
func Count(quick, usual, all int) int {
	switch {
	case *soak:
		return all
	case testing.Short():
		return quick
	}
	return usual
}

// Some returns what a test checks of a list: each nth under -short, else all.
func Some[T any](n int, list []T) (some []T) {
	if !testing.Short() {
		return list
	}
	for i := 0; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}
