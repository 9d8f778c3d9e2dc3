// Package runtimetest gives tests a runtime in memory, which behaves and misbehaves as it is
// told to, and one suite for all runtime adapters.
package runtimetest
