// Package runtime is the contract between the loop and the runtimes: what is to run, in the
// words of pkg/model and of no runtime, what came of it, and the Mux, which is several
// adapters in one. It decides nothing about applications and knows no runtime.
package runtime
