// Package nodeagent keeps the promises of one node's plan. Its loop reads the
// plan file, lets package qos decide and package cgroup write, and repeats:
// the timer is the truth, file events only make it come sooner.
//
// It trusts no control plane to be there. The last good plan is kept on disk
// with its digest and stays in force while the file is broken or gone; stopping
// the agent leaves every setting as it is, and [Release] gives all of them back.
// It never starts, stops or moves a process.
package nodeagent
