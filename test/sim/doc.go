// Package sim lives through random histories of a fleet: the real loop and the
// real core over a fleet repo, a status branch, a cluster and clocks that exist in
// memory only and misbehave on demand. After every step it checks what must hold
// whatever happens, and at the end that the fleet comes to rest as declared.
//
// A history is a list of events and nothing else: equal lists give equal
// histories, on any machine. It follows from a seed, or stands as text in
// testdata. One that ends badly is cut down to the events that it needs and told
// as a story. docs/simulation.md says how to read and replay it.
//
// The package never judges evaluation, signatures, the encoding of the status
// branch or requests to an API server: these have tests of their own on the real
// thing, and stand here as small models of what they promise.
package sim
