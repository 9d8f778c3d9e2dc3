// Package clustertest gives tests a real Kubernetes cluster: the control plane of test/cluster, built when its
// sources changed, started when nobody runs one, shared by all test binaries of this checkout and stopped by itself
// some time after the last of them has ended. With KUBECONFIG set, tests use that cluster instead.
//
// It isolates tests by names, not by clusters: every test works in namespaces and on nodes of its own. It never
// skips a test for want of a cluster unless DAROS_SKIP_CLUSTER=1 asks for that.
package clustertest
