// Package pinned fetches files outside the fleet repo that applications name by what they are: a
// commit of a Git repository, or the digest of an artefact in a registry. It keeps them in a directory, verifies them against the name each
// time they are read, and fetches each once. What is away stops nobody who has it already.
package pinned
