// Package access decides who may change what in the fleet repo: it judges one
// commit after the other by its signature, the paths it changes, and the keys and
// roles that were in force before it. It fails closed: what it cannot read, does
// not know or finds too weak is refused, with the reason. Judge decides about a
// branch, Policy about one commit and about who asks for something by it.
//
// It never reads a repository, never looks at the clock, and never asks a commit
// under judgement about keys: nobody can add their own.
package access
