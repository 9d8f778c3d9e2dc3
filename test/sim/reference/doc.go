// Package reference is a model of workflows, written from docs/workflow.md: slow, plain, and without a line of
// pkg/workflow. It hears every save of the status branch, keeps what a reader of that page would keep in mind, and
// says what in a save the page does not allow. It predicts nothing: it judges.
package reference
