package git

import (
	"bytes"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// NewMemoryStore returns a store that keeps fetched objects in memory. It is for
// commits that are read once and whole: every object is unpacked and verified once,
// when it arrives.
func NewMemoryStore() *Store { return newStore(inMemory{}) }

// inMemory has objects that were verified against their names.
type inMemory map[Hash]unpacked

type unpacked struct {
	kind    plumbing.ObjectType
	content []byte
}

// addToMemory takes in a pack within the limits. It calls commit, if that is not nil,
// with each commit, and ends with its error.
func (s *Store) addToMemory(r io.Reader, limits Limits, commit func(content []byte) error) error {
	u := newUnpacker(s.keep.begin(io.LimitReader(r, limits.Pack)), limits)
	u.commit = commit
	err := u.pack()
	s.keep.fetched(err)
	if err == nil {
		s.from = u.objects
	}
	return err
}

func (m inMemory) read(kind plumbing.ObjectType, h Hash, max int64) ([]byte, error) {
	o, ok := m[h]
	switch {
	case !ok || o.kind != kind:
		return nil, missing(h)
	case int64(len(o.content)) > max:
		return nil, &TooLargeError{Size: int64(len(o.content)), Max: max}
	}
	return bytes.Clone(o.content), nil
}

func (m inMemory) size(h Hash) (int64, error) {
	if !m.has(h) {
		return 0, missing(h)
	}
	return int64(len(m[h].content)), nil
}

func (m inMemory) has(h Hash) bool {
	_, ok := m[h]
	return ok
}

func (inMemory) close() error { return nil }
