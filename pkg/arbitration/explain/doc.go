// Package explain writes decisions about a solved arbitration: what was decided
// about each application, with the constraints, competitors and preemptions that
// decided it. It decides nothing and changes nothing in the case. Decisions own their slices,
// except the slices of specs, which they share.
package explain
