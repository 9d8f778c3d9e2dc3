package git

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// NewMemoryStore returns a store that keeps fetched objects in memory. It is for
// commits that are read once and whole: every object is unpacked and verified once,
// when it arrives.
func NewMemoryStore() *Store {
	return &Store{memory: map[Hash]unpacked{}, trees: newTreeCache(treeCacheSize), extents: map[Hash]extent{}}
}

// unpacked is an object that was verified against its name.
type unpacked struct {
	kind    plumbing.ObjectType
	content []byte
}

// addToMemory takes in a pack within the limits.
func (s *Store) addToMemory(r io.Reader, limits Limits) error {
	u := newUnpacker(s.keep.begin(io.LimitReader(r, limits.Pack)), limits)
	err := u.pack()
	s.keep.fetched(err)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory = u.objects
	return nil
}

// fromMemory returns the content of an object of a store in memory.
func (s *Store) fromMemory(kind plumbing.ObjectType, h Hash, max int64) ([]byte, error) {
	o, ok := s.memory[h]
	switch {
	case !ok || o.kind != kind:
		return nil, fmt.Errorf("%w: %s %s", ErrMissing, kind, h)
	case int64(len(o.content)) > max:
		return nil, &TooLargeError{Size: int64(len(o.content)), Max: max}
	}
	return bytes.Clone(o.content), nil
}
