// Package qos decides which value every cgroup knob of a node should have, so
// that each workload of a plan gets what its profile promises. It is
// arithmetic: it reads no file, knows no clock and changes nothing.
//
// [Parse] reads a plan, [Resolve] turns it into settings for one host and says
// which promises that host can only keep in a weaker form, and [Order] puts
// writes into an order the kernel accepts at every step. Package cgroup beside
// it does the reading and writing.
package qos
