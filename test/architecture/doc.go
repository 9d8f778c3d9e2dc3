// Package architecture holds the code, the pages and the module file to the rules that ARCHITECTURE.md and
// CONTRIBUTING.md state. It has tests only, and every failure says what to do instead.
//
// The tests read sources in this process wherever they can: what a test reads is part of the key under which go test
// caches its result, so a change of the code is never judged by an old answer.
package architecture
