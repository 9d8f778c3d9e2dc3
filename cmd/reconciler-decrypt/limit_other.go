//go:build !linux

package main

import "runtime/debug"

// limit leaves it at the limit that the Go runtime heeds.
func limit() error {
	debug.SetMemoryLimit(128 << 20)
	return nil
}

// seclude leaves it at what the program links.
func seclude() error { return nil }
