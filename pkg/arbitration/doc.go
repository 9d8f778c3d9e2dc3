// Package arbitration decides which applications run and how much of them. It
// sees whole applications, tenants and pools, never nodes or pods, and says for
// every application what it is granted and why, or what it lacks and what would
// admit it.
//
// It is a pure function of what Git declares, what pools offer, what the ledger
// remembers and the time: equal inputs give equal rulings, in any order of the
// input. It never starts or stops anything and never changes a phase.
//
// The rules, in the order in which they bind (docs/arbitration.md tells them to
// people):
//
//  1. Gate (gate.go, gatepools.go): all checks for every application.
//  2. Entitlement (entitle.go): guarantees, then weighted, demand-capped,
//     hierarchical dominant-resource fairness, band by band.
//  3. Standing (standing.go): the order of everything that could run. It follows
//     from what is declared and never from who runs, so nothing cycles.
//  4. Shortage (shortage.go): who gives way when a pool lost capacity.
//  5. Filling (queue.go, place.go): those that wait, one after the other, each on
//     the best level of its ladder that fits.
//  6. Making room (room.go, choose.go): for what stands better, degradation
//     before eviction, the fewest evictions, reviewed after all edits.
//  7. Restoring (shortage.go) what was degraded.
//  8. Certificate (certificate.go, counterfactual.go): why, and what would admit.
//
// Arbiter does the same and decides only what changed (edits.go, follow.go), trying
// of those that waited only whom that gives hopes (hopes.go).
package arbitration
