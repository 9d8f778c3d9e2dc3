// Package trait has the capabilities that a component may declare. Each is two files: one has the code that
// turns its declaration into a patch for what carries the component, and one the CUE schema of what owners may write, with
// an example. The schema of the fleet, the names that definitions may not take and the pages in docs/traits are
// made of these, and nothing else lists the traits.
//
// A trait reads its context and returns a patch. Patches are merged: what two traits both give, a container of one
// name, a variable, a probe, is an error that names both.
package trait
