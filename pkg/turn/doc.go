// Package turn makes the whole decision of one pass, as one pure function: Take
// keeps what was last good of the fleet, decides who gets how much, advances the
// lifecycle, finds out who asks something of runs, and carries workflows forward.
// The loop, plan, what-if, why-not, replay and the simulation all call it, so what
// a pull request is told is what the loop then does.
//
// The package decides nothing by itself: the rules are in arbitration,
// lifecycle, workflow and access. It never reads Git or a cluster, never looks at
// the clock, and changes nothing that it is given; what it returns may share slices
// and records with the Case, so these must not be changed afterwards either.
package turn
