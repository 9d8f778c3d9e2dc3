// Package git reads and writes Git repositories without a work tree: it lists
// and fetches refs of a remote into a bare object store, shows the tree of a
// commit as an immutable file system, and updates one ref by compare-and-swap.
//
// It never merges, never forces, never runs a shell, never follows a symbolic
// link or submodule, and trusts no input: every object read from a store is
// verified against its hash, every answer of a remote is bounded in time and size.
package git

import "github.com/go-git/go-git/v5/plumbing"

// Hash names an object.
type Hash = plumbing.Hash

// ZeroHash names no object.
var ZeroHash = plumbing.ZeroHash

// ParseHash reads a full object name: 40 hexadecimal digits.
func ParseHash(s string) (Hash, bool) {
	return plumbing.NewHash(s), plumbing.IsHash(s)
}
