// Package advice finds what would give the applications of a solved arbitration what they lack: a place, all that they
// ask for, or their newer spec. It lists single changes that alone suffice, each verified by arbitrating
// with it: as small as can be, with what each costs others. It decides nothing and leaves the case as it was.
//
// A pass does a part of this work, counted and not timed (effort). Who is next follows from the time of the pass and from what the
// ledger lacks or has of other inputs (basis.go), so the work is spread over passes and comes to rest, and equal inputs
// still give equal rulings. An advisor that remembers looks only at tenants that a pass concerns (quiet.go), and advises the
// same. A change is tried on the solved case where that is exact (solve.Case.Try), and by arbitrating everything again where it
// is not, unless the fleet is too large for that.
package advice
