// Package nodeagent enforces the plan of one node. Its loop reads the plan file,
// lets package qos decide and package cgroup write, and repeats. A timer starts each
// pass; events of files and groups only start it earlier.
//
// It needs no control plane. The last good plan is kept on disk with its digest and
// stays in force while the file is broken or gone. Stopping the agent leaves every
// setting as it is, and [Release] restores the original values. Of processes it knows
// only those of package process, which starts and stops them; it never moves one.
// Callers own the reports that it returns.
package nodeagent
