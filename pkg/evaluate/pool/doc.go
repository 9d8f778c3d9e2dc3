// Package pool evaluates in child processes of the same program, which have
// limits, and remembers their answers on disk. It decides when a child has had
// enough and whom to blame; what an evaluation means it never sees.
package pool
