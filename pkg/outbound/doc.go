// Package outbound talks to the world beside Git and the runtimes: it probes the
// addresses and queries of checks, and delivers signed messages about steps and
// transitions to their receivers.
//
// It never decides whether a task is due: a dispatcher gets all tasks that are due
// now, starts the requests of new tasks, cancels the requests of tasks that are no
// longer due, and returns results. None of its state outlives the process. A message that was not delivered
// is sent again, under the same key.
//
// Everything that a tenant may choose is hostile: the address, the answer, and the
// time that it takes. A request goes only to hosts that policy allows, and to no
// internal address whatever a name resolves to; its size, time and number are
// bounded.
package outbound
