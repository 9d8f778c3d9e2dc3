// Package component turns one component of an application into Kubernetes objects, by its
// type. Each type is a function from an Input, which it only reads, to an Output, which
// belongs to the caller: what the objects are, and which of their ports others reach. The
// caller adds what every object of D-AROS has, and decides which versions of a component
// there are.
package component
