package git

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// ErrMissing reports an object that is missing in the store, or damaged there.
var ErrMissing = errors.New("object is missing or damaged")

// Store reads objects: of a repository of its own on disk, of a clone that belongs to
// the user, or in memory. It is safe for concurrent use.
type Store struct {
	disk  *disk   // nil: the objects are elsewhere
	clone *clone  // nil: the objects are elsewhere
	keep  *Copy   // of what a store in memory fetches; nil: nothing is kept
	from  objects // where they are

	trees     treeCache
	surveying sync.Mutex
	extents   map[Hash]extent
}

// objects is where a store reads.
type objects interface {
	// read returns the content of an object, verified against its name. More than max
	// bytes are a *TooLargeError, an object that is not there ErrMissing.
	read(kind plumbing.ObjectType, h Hash, max int64) ([]byte, error)
	// size returns the number of bytes of an object.
	size(h Hash) (int64, error)
	has(h Hash) bool
	close() error
}

func newStore(from objects) *Store {
	return &Store{from: from, trees: treeCache{trees: map[Hash]*Tree{}}, extents: map[Hash]extent{}}
}

// OpenStore opens the store in dir and creates it if need be. It is a cache of a
// remote: lost objects can be fetched again. One process at a time holds it. Left-overs
// of a process that was killed are removed.
func OpenStore(dir string) (*Store, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, fmt.Errorf("open object store: %w", err)
	}
	s := newStore(d)
	s.disk = d
	return s, nil
}

// Close releases the store for another process.
func (s *Store) Close() error { return s.from.close() }

// Has reports whether the store holds an object of that name.
func (s *Store) Has(h Hash) bool { return s.from.has(h) }

// addPack adds a pack within the limits. With all set the pack holds every object that
// is needed and replaces the packs before it.
func (s *Store) addPack(r io.Reader, limits Limits, all bool) error {
	if s.disk == nil {
		return s.addToMemory(r, limits, nil)
	}
	return s.disk.addPack(r, limits, all)
}

func missing(h Hash) error { return fmt.Errorf("%w: %s", ErrMissing, h) }

// TooLargeError reports an object that exceeds a limit.
type TooLargeError struct{ Size, Max int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("has %d bytes, at most %d are allowed", e.Size, e.Max)
}

// Blob reads the content of a file. More than max bytes are a *TooLargeError.
func (s *Store) Blob(h Hash, max int64) ([]byte, error) {
	return s.from.read(plumbing.BlobObject, h, max)
}

// maxCommit bounds the bytes of a commit object.
const maxCommit = 1 << 20

// Commit reads a commit.
func (s *Store) Commit(h Hash) (*object.Commit, error) {
	b, err := s.from.read(plumbing.CommitObject, h, maxCommit)
	if err != nil {
		return nil, err
	}
	obj := &plumbing.MemoryObject{}
	obj.SetType(plumbing.CommitObject)
	_, _ = obj.Write(b)
	c := &object.Commit{}
	if err := c.Decode(obj); err != nil {
		return nil, fmt.Errorf("%w: commit %s", ErrMissing, h)
	}
	return c, nil
}
