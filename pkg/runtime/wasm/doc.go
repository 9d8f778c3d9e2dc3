// Package wasm is the adapter of WebAssembly modules, which the machine of the reconciler runs.
// It is experimental. Each replica is a child process of its own, because a module in the process
// of the reconciler could neither be held to its memory nor be taken off a processor.
package wasm
