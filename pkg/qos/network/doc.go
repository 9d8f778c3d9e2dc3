// Package network brings the classes that package qos decided to the network interface of a
// Linux host, and takes them back.
//
// HTB (sch_htb) at the root of the interface divides what is sent, or fq lets packets leave at the times that the program says. A small program on the way
// out (clsact) says whose packet it is: by the cgroup of its socket, or by the mark that the
// same program left where it came from the interface of a pod. The kernel holds both without
// the agent and without a file: programs hang on the interface, so no path is in any file
// system that somebody could choose. What there is says itself that it is the agent's, by
// its number ([Major]); the journal has only what was there before.
//
// The interface, its rate and the interfaces of pods come from the operator alone.
package network
