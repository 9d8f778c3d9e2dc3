// Package lifecycle moves application instances through their phases: from
// declared to terminated. It is the only place where a phase changes.
//
// Advance is a pure function of the ledger, of what Git declares, of the ruling
// and of what the runtimes showed, and returns the ledger that follows. All
// transitions stand in one table, Rules; the state chart in docs/lifecycle.md
// derives from it. The package never starts or stops anything and never decides
// who gets capacity.
package lifecycle
