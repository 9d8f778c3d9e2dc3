// Package check finds what the schema cannot see: references between the parts of an
// application (Application), what an application asks of the platform (Offered), and
// what no directory sees alone: hosts, names and namespaces that several want, and
// promises whose sum is more than there is.
//
// It returns problems with their places. It never decides which applications are
// usable and never changes what it is given; package evaluate does both. It never
// reads files. The problems belong to the caller.
package check
