// Package kubernetes is the runtime adapter for containers on a Kubernetes
// cluster. It reports the capacity of the cluster and the health of workloads in the
// terms of pkg/model, and acts by applying rendered objects.
//
// It judges the health of objects and never decides what follows from it. It does
// not choose nodes and does not delete pods. It keeps no state that it could not
// observe again after a restart. Callers own the values that it returns.
package kubernetes
