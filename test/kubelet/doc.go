// Package kubelet tests the node agent beside a kubelet that runs: a virtual machine is a node of a cluster, with the kubelet of
// Kubernetes' sources, containerd and runc of Debian, pods on the network of their node, and the agent. The control plane runs
// on this host. What the kubelet writes is measured there, and docs/nodeagent.md says it.
package kubelet
