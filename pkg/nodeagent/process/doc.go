// Package process runs the plain processes that the plan of a pool gives to a host: it starts
// each in a fresh cgroup, watches it, starts it again, stops it, and says how it does. It
// decides nothing about applications. What a host may run, its operator says in a file of the
// host; nothing that comes from Git reaches beyond that.
//
// A process outlives the agent. What the agent did is on disk before it has an effect, so an
// agent that is killed at any moment finds its processes again, and starts none twice.
package process
