// Package announce says what became of a fleet between two saved ledgers. The log, the
// Kubernetes Events, the messages to --notify-url, the metrics of transitions and
// "reconciler events" tell what it says and nothing else, so that they never tell of
// what was not saved.
//
// Equal pairs of ledgers have equal announcements with equal keys, whoever compares
// them. So whoever repeats one is recognized.
package announce
