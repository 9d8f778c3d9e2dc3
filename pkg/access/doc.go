// Package access decides who may change which files of the fleet repo. It judges one
// commit after the other by its signature, the paths it changes, and the keys and
// roles that were in force before it. It fails closed: a signature that is
// unreadable, unknown or weak is refused, with the reason. Judge decides about a
// branch, Policy about one commit and about the requests in it.
//
// It never reads a repository or the clock, and never takes keys from the commit that
// it judges: nobody can add their own. It does not keep or change its arguments.
package access
