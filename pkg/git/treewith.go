package git

import (
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// AddChanged puts a tree into the set that has other content at a path than a tree of a store, or of the set, and returns its
// name. Without content the file is gone, and so are directories that are empty then. Everything else of the tree stays as it is, also
// what no work tree should hold. The names of the path have to be ones that can be used.
func (o *Objects) AddChanged(from *Store, tree Hash, path []string, content []byte) (Hash, error) {
	if why := RefuseName(path[0]); why != "" {
		return ZeroHash, fmt.Errorf("%q %s", path[0], why)
	}
	entries, err := o.entries(from, tree)
	if err != nil {
		return ZeroHash, err
	}
	own := Entry{Name: path[0], Mode: ModeFile}
	at := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == path[0] })
	if at >= 0 {
		own = entries[at]
		entries = slices.Delete(entries, at, at+1)
	}
	keep := content != nil
	switch {
	case len(path) > 1:
		below := ZeroHash
		if own.Mode == ModeDir {
			below = own.Hash
		}
		own.Mode = ModeDir
		if own.Hash, err = o.AddChanged(from, below, path[1:], content); err != nil {
			return ZeroHash, err
		}
		keep = own.Hash != emptyTree
	case keep:
		if refuseMode(own.Mode) != "" || own.Mode == ModeDir {
			return ZeroHash, fmt.Errorf("%s is no file", own.Name)
		}
		own.Hash = o.AddBlob(content)
	}
	if keep {
		entries = append(entries, own)
	}
	if len(entries) == 0 {
		return emptyTree, nil
	}
	return o.AddTree(entries), nil
}

// entries returns what a tree has, of the set or of a store.
func (o *Objects) entries(from *Store, tree Hash) ([]Entry, error) {
	if tree == ZeroHash || tree == emptyTree {
		return nil, nil
	}
	if made, ok := o.objects[tree]; ok {
		return entriesOf(made.content)
	}
	b, err := from.from.read(plumbing.TreeObject, tree, maxTree)
	if err != nil {
		return nil, err
	}
	return entriesOf(b)
}
