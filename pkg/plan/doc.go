// Package plan compares two outcomes: what a pass makes of one state of the fleet
// repo and what it makes of another. It says which applications come out otherwise
// and how, what that costs, which runs of workflows begin or end, and which objects
// follow.
//
// It decides nothing about applications: both outcomes are decided by those who
// decide in a pass. It reads nothing, and equal outcomes have no differences.
package plan
