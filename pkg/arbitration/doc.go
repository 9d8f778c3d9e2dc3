// Package arbitration decides which applications run and how much of them. It
// sees whole applications, tenants and pools, never nodes or pods, and tells for
// every application what it is granted and why, or what it lacks and what would
// admit it.
//
// It is a pure function of what Git declares, what pools offer, what the ledger
// remembers and the time: equal inputs give equal rulings, in any order of the
// input. It never starts or stops anything and never changes a phase.
//
// This package has the stages, in the order in which they bind (Solve). The rules
// of each stage are in package solve, the sentences in package explain, and what would help whom in package
// advice. Package follow decides the same, and only what changed since the last
// pass. docs/arbitration.md explains the rules to people.
package arbitration
