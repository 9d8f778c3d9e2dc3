// Package condition is the language of `if` and of `success` in workflows: the
// Common Expression Language, cut down so that a condition is typed, ends, and
// means the same on every machine.
//
// There are no loops, no clock, no time zones and no values without a type. The
// text, the depth and the work of one evaluation are bounded. The package knows
// nothing of runs: it is given names and values and returns yes, no, or an error.
package condition
