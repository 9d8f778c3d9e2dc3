// Package outbound sends HTTP requests outside Git and the runtimes: it probes the
// addresses and queries of checks, delivers signed messages about steps and
// transitions, and asks what runs elsewhere whether it is well.
//
// It never decides whether a task is due. A dispatcher gets all tasks that are due
// now, starts the requests of new tasks, cancels the requests of tasks that are no
// longer due, and returns results. It does not keep or change its arguments. Its state
// ends with the process; a message that was not delivered is sent again, under the
// same key.
//
// The address, the answer and the time that it takes are hostile, because a tenant
// chooses them. A request goes only to hosts that policy allows, and to no internal
// address. Its size, time and number are bounded.
package outbound
