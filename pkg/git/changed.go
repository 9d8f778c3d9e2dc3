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
	old, err := c.entries(before)
	if err != nil {
		return err
	}
	now, err := c.entries(after)
	if err != nil {
		return err
	}
	listed := len(c.paths)
	for len(old) > 0 || len(now) > 0 {
		var was, is *Entry
		if len(now) == 0 || len(old) > 0 && old[0].Name <= now[0].Name {
			was = &old[0]
		}
		if len(old) == 0 || len(now) > 0 && now[0].Name <= old[0].Name {
			is = &now[0]
		}
		if was != nil {
			old = old[1:]
		}
		if is != nil {
			now = now[1:]
		}
		if err := c.entry(dir, was, is, depth); err != nil {
			return err
		}
	}
	if len(c.paths) == listed {
		return c.add(dir)
	}
	return nil
}

func (c *changes) entries(tree Hash) ([]Entry, error) {
	if tree == ZeroHash {
		return nil, nil
	}
	t, err := c.store.Tree(tree)
	if err != nil {
		return nil, err
	}
	return t.Entries, nil
}

// entry lists the differences below one name. Nil: the name does not exist.
func (c *changes) entry(dir string, was, is *Entry, depth int) error {
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
			if err := c.add(join(dir, e.Name)); err != nil {
				return err
			}
		}
	}
	name := ""
	if was != nil {
		name = was.Name
	} else {
		name = is.Name
	}
	return c.compare(join(dir, name), sides[0], sides[1], depth+1)
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
