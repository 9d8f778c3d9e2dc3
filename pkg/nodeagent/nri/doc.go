// Package nri gives containers the values of their promises before their first instruction: the container runtime asks it
// through NRI, the Node Resource Interface of containerd and CRI-O, what a container is to be made with.
//
// Whatever goes wrong here, a container starts as it would without the agent, and its next turn writes the values. So an
// answer is never an error, comes long before the runtime stops waiting, and has no value that a runtime could fail to write.
package nri

import "github.com/containerd/nri/pkg/api"

// Socket is where runtimes have the socket of NRI unless they are told otherwise.
const Socket = api.DefaultSocketPath
