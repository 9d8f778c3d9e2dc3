package git

import (
	"slices"
	"strings"

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
	var names []string
	var entries [4]map[string]Entry
	for i, h := range of {
		list, err := u.entries(h)
		if err != nil {
			return err
		}
		entries[i] = make(map[string]Entry, len(list))
		for _, e := range list {
			entries[i][e.Name], names = e, append(names, e.Name)
		}
		if i == inMerge && h != ZeroHash && plumbing.ComputeHash(plumbing.TreeObject, encodeTree(list)) != h {
			if err := u.add(dir); err != nil { // it has more than its entries show
				return err
			}
		}
	}
	slices.SortFunc(names, strings.Compare)
	for _, name := range slices.Compact(names) {
		var at [4]Entry // zero: it has no such entry
		for i := range entries {
			at[i] = entries[i][name]
		}
		if err := u.entry(dir, name, at, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry lists the paths below one name.
func (u *unmerged) entry(dir, name string, of [4]Entry, depth int) error {
	if side, ok := clean(of); ok {
		if of[side] == of[inMerge] {
			return nil
		}
		return u.changes.entry(dir, present(&of[side]), present(&of[inMerge]), depth)
	}
	var below [4]Hash
	for i := range of {
		switch e := &of[i]; {
		case e.IsDir():
			below[i] = e.Hash
		case present(e) != nil && i != inBase:
			return u.add(join(dir, name)) // a file, in the place of what the other side changed
		}
	}
	return u.tree(join(dir, name), below, depth+1)
}

// present returns an entry, nil if it is that of no name.
func present(e *Entry) *Entry {
	if *e == (Entry{}) {
		return nil
	}
	return e
}
