// Package workflow carries a run of an application's workflow forward: which
// steps may start, which wait, which failed and what is taken back.
//
// Advance is a pure function of runs, of what the runtimes and the other edges
// reported, of commands from Git and of the time, and returns the runs that
// follow. Intents lists the requests that a run has to the outside. The caller saves the
// runs first and then does what their intents say, as often as it likes: each has
// a key, and the same key always means the same thing. The package never does
// any of it: it makes no calls, starts nothing and reads no clock.
package workflow
