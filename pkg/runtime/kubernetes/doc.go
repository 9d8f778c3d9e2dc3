// Package kubernetes is the runtime adapter for containers on a Kubernetes
// cluster. It tells what the cluster offers and how workloads fare in the terms
// of pkg/model, and acts by applying rendered objects.
//
// It judges what it sees; it never decides what follows from that. It does not
// choose nodes, does not delete pods and keeps nothing that could not be seen
// again after a restart.
package kubernetes
