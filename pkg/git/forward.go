package git

import (
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// Since returns the commits that lead from old to new by first parents, old excluded
// and the oldest first. It reports false if new does not follow from old. From ZeroHash
// every commit follows.
func (s *Store) Since(old, new Hash) (commits []Hash, follows bool, err error) {
	for new != old {
		c, err := s.Commit(new)
		if err != nil {
			return nil, false, err
		}
		commits = append(commits, new)
		if new = ZeroHash; len(c.ParentHashes) > 0 {
			new = c.ParentHashes[0]
		} else if old != ZeroHash {
			return nil, false, nil
		}
	}
	slices.Reverse(commits)
	return commits, true, nil
}

// Added returns the objects that commits bring which follow from each other, and the
// commit up to which they are complete: the last one or, if they exceed so many bytes,
// an earlier one, but at least the first.
func (s *Store) Added(commits []Hash, bytes int64) (*Objects, Hash, error) {
	a := addition{store: s, objects: NewObjects()}
	for i, h := range commits {
		c, err := s.Commit(h)
		if err != nil {
			return nil, ZeroHash, err
		}
		if err := a.add(plumbing.CommitObject, h); err != nil {
			return nil, ZeroHash, err
		}
		before := ZeroHash
		if len(c.ParentHashes) > 0 {
			parent, err := s.Commit(c.ParentHashes[0])
			if err != nil {
				return nil, ZeroHash, err
			}
			before = parent.TreeHash
		}
		if err := a.tree(before, c.TreeHash, 0); err != nil {
			return nil, ZeroHash, fmt.Errorf("commit %s: %w", h, err)
		}
		if a.bytes > bytes && i+1 < len(commits) {
			return a.objects, h, nil
		}
	}
	return a.objects, commits[len(commits)-1], nil
}

// addition gathers objects of a store.
type addition struct {
	store   *Store
	objects *Objects
	bytes   int64
}

func (a *addition) add(kind plumbing.ObjectType, h Hash) error {
	content, err := a.store.from.read(kind, h, maxForwarded)
	if err == nil {
		a.objects.add(kind, content)
		a.bytes += int64(len(content))
	}
	return err
}

// Bounds of what is forwarded: of an object, and of nested directories.
const (
	maxForwarded = 64 << 20
	maxNested    = 64
)

// tree adds a directory and all below it that another one, at the same path, lacks.
func (a *addition) tree(before, after Hash, depth int) error {
	if before == after || after == emptyTree {
		return nil
	}
	if depth > maxNested {
		return tooDeep(FileLimits{Depth: maxNested})
	}
	old := &Tree{}
	if before != ZeroHash {
		var err error
		if old, err = a.store.Tree(before); err != nil {
			return err
		}
	}
	t, err := a.store.Tree(after)
	if err != nil {
		return err
	}
	if err := a.add(plumbing.TreeObject, after); err != nil {
		return err
	}
	for i := range t.Entries {
		e, was := &t.Entries[i], ZeroHash
		if o, ok := old.Find(e.Name); ok && o.Mode == e.Mode {
			was = o.Hash
		}
		switch {
		case e.Hash == was || e.Mode == ModeSubmodule: // the commit of a submodule is elsewhere
		case e.Mode == ModeDir:
			if err := a.tree(was, e.Hash, depth+1); err != nil {
				return err
			}
		default:
			if err := a.add(plumbing.BlobObject, e.Hash); err != nil {
				return err
			}
		}
	}
	return nil
}
