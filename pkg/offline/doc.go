// Package offline holds the use cases that need no cluster: plan, what-if, why-not, replay and vet, over a clone, a work
// tree or the history of a status branch.
//
// It decides the inputs of a pass: which files and which ledger it starts with, and which state of the runtimes it
// assumes. turn.Take makes the decision, as in the loop, so the answers are those of the reconciler. The package never
// writes to the clone, a branch or a runtime. It prints nothing, and the caller passes the time.
//
// The caller owns the slices of an answer. An answer may share records with its inputs, so the caller does not change them.
package offline
