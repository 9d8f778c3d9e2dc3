package git

import "fmt"

// extent is how much a directory holds.
type extent struct {
	files int // saturates
	depth int
}

// maxExtents bounds how many extents a store remembers.
const maxExtents = 1 << 20

// survey visits every directory below root once, however often it occurs.
func (s *Store) survey(root Hash, limits FileLimits) error {
	s.surveying.Lock()
	defer s.surveying.Unlock()
	if len(s.extents) > maxExtents {
		clear(s.extents)
	}
	e, err := s.measure(root, limits, 0)
	switch {
	case err != nil:
		return err
	case e.files > limits.Count:
		return fmt.Errorf("the tree holds more than %d files", limits.Count)
	case e.depth > limits.Depth:
		return tooDeep(limits)
	}
	return nil
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
