// Package reconcile is the loop that ties the stages together: it turns what Git
// declares into what the runtimes run, over the ledger on the status branch. It
// owns the order of things and the interfaces to the edges; every decision is
// made by the core packages that it calls.
//
// Save before act: a pass acts only on what the status branch already says. A
// crash between any two lines is harmless, because the next pass reads the
// branch and acts again, and all actions are idempotent. When the branch cannot
// be written, nothing new is started, moved or stopped; what runs keeps running,
// and drift is still corrected.
package reconcile
