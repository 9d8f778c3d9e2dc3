// Package claim decides who may have a name that several applications want: a host that
// clients outside the cluster ask for, or the name of an object in a namespace.
//
// Allotted holds the names of each application against the allotments of the platform.
// A Register settles what several want: who has a name in the ledger keeps it, and only a
// newcomer is refused. Both are arithmetic over values: they render nothing, and read no
// clock and no files.
package claim
