// Package pool evaluates in child processes of the same program, which have limits of
// CPU time, memory and stack, and keeps their answers on disk. It decides when a child
// has reached a limit, and whether the request or the machine is to blame. It never
// reads requests or answers: callers own the bytes that they give and get.
package pool
