package git

import (
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// Unmerged lists the paths in which a tree is not the clean merge of two others that
// have a common base, sorted: the merge of trees path by path. What one side changed is
// taken from that side. A path that both sides changed is listed unless they made it
// equal, whatever the merge has there: contents are never merged. A ZeroHash is an
// empty tree. More than max paths are a *TooManyError.
func (s *Store) Unmerged(base, ours, theirs, merged Hash, max int) ([]string, error) {
	u := unmerged{changes{store: s, max: max}}
	if err := u.tree(".", [4]Hash{base, ours, theirs, merged}, 0); err != nil {
		return nil, err
	}
	slices.Sort(u.paths)
	return slices.Compact(u.paths), nil
}

type unmerged struct{ changes }

// The places of the base, of both sides and of the merge in what is compared.
const (
	inBase = iota
	inOurs
	inTheirs
	inMerge
)

// clean returns which side a clean merge takes, false if there is none.
func clean[T comparable](of [4]T) (side int, ok bool) {
	switch {
	case of[inOurs] == of[inTheirs], of[inBase] == of[inTheirs]:
		return inOurs, true
	case of[inBase] == of[inOurs]:
		return inTheirs, true
	}
	return 0, false
}

// tree lists the paths below a directory.
func (u *unmerged) tree(dir string, of [4]Hash, depth int) error {
	if side, ok := clean(of); ok {
		return u.compare(dir, of[side], of[inMerge], depth)
	}
	if depth > changedDepth {
		return &TooManyError{u.max}
	}
	if merge := of[inMerge]; merge != ZeroHash {
		t, err := u.store.Tree(merge)
		if err == nil && plumbing.ComputeHash(plumbing.TreeObject, encodeTree(t.Entries)) != merge {
			err = u.add(dir) // it has more than its entries show
		}
		if err != nil {
			return err
		}
	}
	return u.byName(dir, of[:], func(path string, of []*Entry) error { return u.entry(path, of, depth) })
}

// entry lists the paths below one name.
func (u *unmerged) entry(path string, of []*Entry, depth int) error {
	var at [4]Entry // zero: it has no such entry
	var below [4]Hash
	file := false // in the place of what the other side changed
	for i, e := range of {
		if e == nil {
			continue
		}
		if at[i] = *e; e.IsDir() {
			below[i] = e.Hash
		} else {
			file = file || i != inBase
		}
	}
	side, ok := clean(at)
	switch {
	case ok && at[side] == at[inMerge]:
		return nil
	case ok:
		return u.changes.entry(path, of[side], of[inMerge], depth)
	case file:
		return u.add(path)
	}
	return u.tree(path, below, depth+1)
}
