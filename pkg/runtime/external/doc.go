// Package external is the adapter of what runs elsewhere. It starts and stops nothing: of each
// component it asks whether it is well, as often as that says, and shows the answers.
package external
