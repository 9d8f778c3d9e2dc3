// Package outbound talks to the world beside Git and the runtimes: it asks the
// addresses and queries that checks name, and delivers messages, signed, to those
// who want to hear of steps and transitions.
//
// It does what it is told and never decides whether it is due: a dispatcher is
// given all that is due now, begins what is new, ends what is due no more, and
// hands results to whoever asks. Nothing of it outlives the process. What was not
// seen through is told again, under the same key.
//
// Whatever a tenant may choose is hostile: the address, what answers there, and
// how long that takes. A request goes to hosts that policy allows and to no address
// inside, whatever names resolve to; its size, time and number are bounded.
package outbound
