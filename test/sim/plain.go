//go:build !race

package sim

// Racing says that the race detector watches.
const Racing = false
