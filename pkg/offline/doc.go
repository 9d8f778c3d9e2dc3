// Package offline holds the use cases that need no cluster: plan, what-if, why-not, replay and vet, over a clone, a work
// tree or the history of a status branch.
//
// It decides what a question is about: which files and which ledger a pass starts with, and in which state the runtimes
// are taken to be. Package turn decides everything else, as in the loop, so the answers are those of the reconciler. The
// package never writes to the clone, its branches or a runtime, prints nothing, and asks no clock: the caller hands over
// the time.
//
// The caller owns the slices of an answer. An answer may share records with what it was made of, so the caller does not
// change them.
package offline
