// Package hostplan is what the process adapter of the reconciler and the agents of plain hosts
// say to each other: the plan of a pool and the report of a host, as JSON. It reads both as
// hostile, and knows neither files nor processes.
package hostplan
