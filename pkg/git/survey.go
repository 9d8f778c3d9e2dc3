package git

import "fmt"

// extent is how much a directory holds.
type extent struct {
	files int // saturates
	depth int
}

// maxExtents bounds how many extents a store remembers.
const maxExtents = 1 << 20

// TooManyFilesError reports a tree with more files than the limit allows.
type TooManyFilesError struct{ Files, Max int }

func (e *TooManyFilesError) Error() string {
	return fmt.Sprintf("the tree holds %d files, at most %d are allowed", e.Files, e.Max)
}

// Allow returns a *TooManyFilesError if a tree may not hold so many files. It is for
// those who write a tree that others have to read within the same limits.
func (l FileLimits) Allow(files int) error {
	if limit := l.MaxCount(); files > limit {
		return &TooManyFilesError{Files: files, Max: limit}
	}
	return nil
}

// MaxCount returns how many files a tree may hold.
func (l FileLimits) MaxCount() int { return l.withDefaults().Count }

// survey visits every directory below root once, however often it occurs, and returns
// the number of files.
func (s *Store) survey(root Hash, limits FileLimits) (files int, err error) {
	s.surveying.Lock()
	defer s.surveying.Unlock()
	if len(s.extents) > maxExtents {
		clear(s.extents)
	}
	e, err := s.measure(root, limits, 0)
	if err == nil {
		err = limits.Allow(e.files)
	}
	if err == nil && e.depth > limits.Depth {
		err = tooDeep(limits)
	}
	return e.files, err
}

func tooDeep(limits FileLimits) error {
	return fmt.Errorf("the tree has directories nested deeper than %d", limits.Depth)
}

func (s *Store) measure(h Hash, limits FileLimits, depth int) (extent, error) {
	if e, ok := s.extents[h]; ok {
		return e, nil
	}
	if depth > limits.Depth {
		return extent{}, tooDeep(limits)
	}
	tree, err := s.Tree(h)
	if err != nil {
		return extent{}, err
	}
	var sum extent
	for i := range tree.Entries {
		if entry := &tree.Entries[i]; !entry.IsDir() {
			sum.files++
		} else {
			e, err := s.measure(entry.Hash, limits, depth+1)
			if err != nil {
				return extent{}, err
			}
			sum.files = min(sum.files+e.files, 1<<30)
			sum.depth = max(sum.depth, e.depth+1)
		}
	}
	s.extents[h] = sum
	return sum, nil
}
