//go:build race

package sim

// Racing says that the race detector watches. A history has one goroutine, and
// takes many times as long then.
const Racing = true
