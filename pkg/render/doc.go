// Package render turns an application instance into Kubernetes objects. It
// decides names, labels, replicas, resources and the order of application, from
// the instance's spec and its grants alone: the same input gives the same bytes,
// on any machine, in any order, in parallel.
//
// It never talks to a cluster, a network or a disk, never runs a program, never
// reads a clock, and never renders an object that policy does not allow. It takes
// what kustomizations and charts come to as a value (Builds): they are built before,
// where time and memory are limited. Package component has the types of components. A refusal names the place in the declaration,
// so that people can correct it. The objects belong to the caller.
package render
