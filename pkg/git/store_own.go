package git

import (
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// The methods below are for stores that OpenStore has opened.

// Reset empties the store.
func (s *Store) Reset() error {
	if s.disk == nil {
		return errors.New("empty object store: it belongs to others")
	}
	if err := s.disk.reset(); err != nil {
		return fmt.Errorf("empty object store: %w", err)
	}
	s.trees.forget()
	s.surveying.Lock()
	defer s.surveying.Unlock()
	clear(s.extents)
	return nil
}

// Damaged reports whether an object was found to be missing since the store was opened
// or reset. Then reset it and fetch again.
func (s *Store) Damaged() bool {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return s.disk.damaged
}

// Packs returns the number of packs: one for every fetch since the last that fetched
// everything.
func (s *Store) Packs() int {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	packs, _ := s.disk.objects.ObjectPacks()
	return len(packs)
}

// tipRef records in the store itself the commit that was fetched last.
const tipRef = plumbing.ReferenceName("refs/heads/fetched")

// SetTip records the commit that was fetched last, with all its history.
func (s *Store) SetTip(h Hash) error {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return s.disk.objects.SetReference(plumbing.NewHashReference(tipRef, h))
}

// Tip returns the commit that SetTip recorded, also in an earlier process.
func (s *Store) Tip() (Hash, bool) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	ref, err := s.disk.objects.Reference(tipRef)
	if err != nil || s.disk.objects.HasEncodedObject(ref.Hash()) != nil {
		return ZeroHash, false
	}
	return ref.Hash(), true
}
