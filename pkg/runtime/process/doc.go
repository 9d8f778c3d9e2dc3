// Package process is the adapter for plain processes on hosts without a cluster. It gives the
// agents of the hosts of a pool one plan, in a directory that they share, and reads their
// reports there. It chooses the host of each replica and starts nothing itself.
package process
