// Package chaos runs the real reconciler on a real cluster and a real repo, does to them what attackers, other managers and
// failing machines do, and checks every 10 seconds what must hold all the same. `make chaos` does so for an hour.
package chaos
