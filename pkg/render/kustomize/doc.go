// Package kustomize reads untrusted kustomizations and builds them.
//
// Kustomize is no sandbox: a reference may be an address that it fetches, a repository
// that it clones with a program, a plugin that it runs, a directory outside. So it
// never sees a reference that a tenant wrote. Read goes through the graph of
// kustomizations field by field, accepts only fields that are known to be harmless,
// and rewrites them. Build hands the result to kustomize, in memory.
//
// It bounds the files that it reads. It never guesses the cost of a build: the caller
// builds where time and memory are limited. It never decides which objects a tenant may
// have; package render does. What it returns belongs to the caller.
package kustomize
