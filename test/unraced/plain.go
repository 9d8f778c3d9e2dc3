//go:build !race

package unraced

// Racing reports whether the race detector watches this program.
const Racing = false
