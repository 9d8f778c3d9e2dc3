// Package e2e tests the whole way: a commit travels from a real Git repo through
// the loop to a real Kubernetes API and back to the status branch. It holds no
// code but tests.
package e2e
