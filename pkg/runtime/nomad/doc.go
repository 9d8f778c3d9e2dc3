// Package nomad is the adapter of clusters of Nomad, over its HTTP API. It is experimental: tests
// hold it to what that API is documented to do, and not to a cluster.
package nomad
