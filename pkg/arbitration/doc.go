// Package arbitration decides which applications run and how much of them. It
// sees whole applications, tenants and pools, never nodes or pods, and says for
// every application what it is granted and why, or what it lacks.
//
// It is a pure function of what Git declares, what pools offer, what the ledger
// remembers and the time: equal inputs give equal rulings, in any order of the
// input. It never starts or stops anything and never changes a phase.
//
// The rules, in the order in which they bind:
//
//  1. Candidate: each application is judged by the spec in Git; one that runs
//     keeps its accepted spec when the new one is invalid, refused, does not fit
//     or was rolled back.
//  2. Gate: quota, counts, ceiling, share cap, budget, pools, domains. All
//     failures are reported. Quota counts what applications declare in full, so
//     that it does not move with capacity.
//  3. Order: who runs keeps its place; then by band, priority, name.
//  4. Levels: an application is granted its full level, else (where policy and
//     spec allow) its minimum, else it waits. The minimum is a gang: all or
//     nothing.
//  5. Shortage: when a pool holds less than was granted, those that may be
//     degraded go to their minimum, last in order first. Nobody is evicted.
//  6. Restore: what was degraded returns to full, first in order first, when it
//     fits and the degradation has held for RestoreHold.
package arbitration
