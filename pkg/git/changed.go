package git

import (
	"fmt"
	"slices"
)

// changedDepth bounds how deep directories are compared.
const changedDepth = 64

// TooManyError says that two trees differ in more than they may.
type TooManyError struct{ Max int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("changes more than %d files, or directories nested deeper than %d", e.Max, changedDepth)
}

// Changed lists the paths in which two trees differ, sorted: files that were
// added, removed, changed, or given another mode. Nothing is a rename: that is a
// removal and an addition. A directory is listed itself where it differs and no
// file in it does. A ZeroHash is an empty tree. More than max paths are a
// *TooManyError.
func (s *Store) Changed(before, after Hash, max int) ([]string, error) {
	c := &changes{store: s, max: max}
	if err := c.compare(".", before, after, 0); err != nil {
		return nil, err
	}
	slices.Sort(c.paths)
	return slices.Compact(c.paths), nil
}

type changes struct {
	store *Store
	max   int
	paths []string
}

func (c *changes) add(path string) error {
	if len(c.paths) == c.max {
		return &TooManyError{c.max}
	}
	c.paths = append(c.paths, path)
	return nil
}

// compare lists the entries of a directory that differ.
func (c *changes) compare(dir string, before, after Hash, depth int) error {
	if before == after {
		return nil
	}
	if depth > changedDepth {
		return &TooManyError{c.max}
	}
	listed := len(c.paths)
	err := c.byName(dir, []Hash{before, after}, func(path string, of []*Entry) error { return c.entry(path, of[0], of[1], depth) })
	if err == nil && len(c.paths) == listed {
		err = c.add(dir)
	}
	return err
}

// byName visits the names in some trees, with the entry that each has of it: nil for none.
func (c *changes) byName(dir string, trees []Hash, visit func(path string, of []*Entry) error) error {
	lists, of := make([][]Entry, len(trees)), make([]*Entry, len(trees))
	for i, h := range trees {
		if h == ZeroHash {
			continue
		}
		t, err := c.store.Tree(h)
		if err != nil {
			return err
		}
		lists[i] = t.Entries
	}
	for {
		name := ""
		for _, list := range lists {
			if len(list) > 0 && (name == "" || list[0].Name < name) {
				name = list[0].Name
			}
		}
		if name == "" {
			return nil
		}
		for i, list := range lists {
			if of[i] = nil; len(list) > 0 && list[0].Name == name {
				of[i], lists[i] = &list[0], list[1:]
			}
		}
		if err := visit(join(dir, name), of); err != nil {
			return err
		}
	}
}

// entry lists the differences below one name. Nil: the name does not exist.
func (c *changes) entry(path string, was, is *Entry, depth int) error {
	if was != nil && is != nil && *was == *is {
		return nil
	}
	var sides [2]Hash // of directories
	for i, e := range []*Entry{was, is} {
		switch {
		case e == nil:
		case e.IsDir():
			sides[i] = e.Hash
		default:
			if err := c.add(path); err != nil {
				return err
			}
		}
	}
	return c.compare(path, sides[0], sides[1], depth+1)
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
