// Package plan compares the outcomes of a pass for two states of the fleet repo. It decides which effect the change has
// on each application, and lists the prices, the workflow runs and the objects that differ.
//
// It never decides about applications: turn.Take makes both outcomes. It reads nothing. Equal outcomes have no
// differences. A result shares records with the outcomes, so the caller does not change them.
package plan
