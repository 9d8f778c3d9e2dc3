package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"golang.org/x/sys/unix"
)

// ErrMissing reports an object that is missing in the store, or damaged there.
var ErrMissing = errors.New("object is missing or damaged")

// Store is a bare object store on disk. It is a cache of a remote: lost objects
// can be fetched again. It is safe for concurrent use; one process at a time
// holds it.
type Store struct {
	dir  string
	lock *os.File // nil: the store belongs to others

	memory map[Hash]unpacked // nil: the store is on disk
	clone  *clone            // nil: the store is our own
	keep   *Copy             // of what a store in memory fetches; nil: nothing is kept

	mu      sync.Mutex
	objects *filesystem.Storage
	damaged bool
	trees   *treeCache

	surveying sync.Mutex
	extents   map[Hash]extent
}

// OpenStore opens the store in dir and creates it if need be. Left-overs of a
// process that was killed are removed.
func OpenStore(dir string) (*Store, error) {
	lock, err := hold(dir)
	if err != nil {
		return nil, fmt.Errorf("open object store: %w", err)
	}
	s := &Store{dir: dir, lock: lock, trees: newTreeCache(treeCacheSize), extents: map[Hash]extent{}}
	if err := s.start(); err != nil {
		lock.Close()
		return nil, err
	}
	return s, nil
}

func storageIn(dir string) *filesystem.Storage {
	return filesystem.NewStorageWithOptions(osfs.New(dir), cache.NewObjectLRU(8*cache.MiByte), filesystem.Options{MaxOpenDescriptors: 32})
}

// hold creates dir if it does not exist, and locks it for this process until the file
// is closed.
func hold(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("%s: another process uses it", dir)
	}
	return lock, nil
}

// repository is where the objects lie below the store's directory.
func (s *Store) repository() string { return filepath.Join(s.dir, "repository.git") }

// packs is where the packs lie.
func (s *Store) packs() string { return filepath.Join(s.repository(), "objects", "pack") }

func (s *Store) start() error {
	packs := s.packs()
	if err := os.MkdirAll(packs, 0o700); err != nil {
		return fmt.Errorf("open object store: %w", err)
	}
	if err := removeUnfinished(packs); err != nil {
		return fmt.Errorf("open object store: %w", err)
	}
	stale, _ := filepath.Glob(filepath.Join(s.dir, incoming+"*"))
	for _, name := range stale {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("open object store: %w", err)
		}
	}
	s.objects = storageIn(s.repository())
	if err := s.objects.Init(); err != nil {
		return fmt.Errorf("open object store: %w", err)
	}
	s.damaged = false
	return nil
}

// Close releases the store for another process.
func (s *Store) Close() error {
	if s.memory != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clone != nil {
		return s.clone.close()
	}
	return errors.Join(s.objects.Close(), s.lock.Close())
}

// Reset empties the store.
func (s *Store) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return errors.New("empty object store: it belongs to others")
	}
	_ = s.objects.Close()
	if err := os.RemoveAll(s.repository()); err != nil {
		return fmt.Errorf("empty object store: %w", err)
	}
	s.trees.forget()
	s.surveying.Lock()
	clear(s.extents)
	s.surveying.Unlock()
	return s.start()
}

// read returns the content of an object, verified against its name.
func (s *Store) read(kind plumbing.ObjectType, h Hash, max int64) ([]byte, error) {
	if s.memory != nil {
		return s.fromMemory(kind, h, max)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clone != nil {
		return s.clone.read(kind, h, max)
	}
	size, err := s.objects.EncodedObjectSize(h)
	if err != nil {
		return nil, s.missing(kind, h)
	}
	if size > max {
		return nil, &TooLargeError{Size: size, Max: max}
	}
	obj, err := s.objects.EncodedObject(kind, h)
	if err != nil {
		return nil, s.missing(kind, h)
	}
	r, err := obj.Reader()
	if err != nil {
		return nil, s.missing(kind, h)
	}
	defer r.Close()
	var buf bytes.Buffer
	buf.Grow(int(size))
	if _, err := io.Copy(&buf, io.LimitReader(r, size+1)); err != nil || plumbing.ComputeHash(kind, buf.Bytes()) != h {
		return nil, s.missing(kind, h)
	}
	return buf.Bytes(), nil
}

// missing marks the store as damaged: it lacks an object that it should hold.
func (s *Store) missing(kind plumbing.ObjectType, h Hash) error {
	s.damaged = true
	return fmt.Errorf("%w: %s %s", ErrMissing, kind, h)
}

// Damaged reports whether an object was found to be missing since the store was opened
// or reset. Then reset it and fetch again.
func (s *Store) Damaged() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damaged
}

// tipRef records in the store itself the commit that was fetched last.
const tipRef = plumbing.ReferenceName("refs/heads/fetched")

// SetTip records the commit that was fetched last, with all its history.
func (s *Store) SetTip(h Hash) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects.SetReference(plumbing.NewHashReference(tipRef, h))
}

// Tip returns the commit that SetTip recorded, also in an earlier process.
func (s *Store) Tip() (Hash, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref, err := s.objects.Reference(tipRef)
	if err != nil || s.objects.HasEncodedObject(ref.Hash()) != nil {
		return ZeroHash, false
	}
	return ref.Hash(), true
}

// size returns the number of bytes of an object.
func (s *Store) size(h Hash) (int64, error) {
	if s.memory != nil {
		b, err := s.fromMemory(plumbing.BlobObject, h, math.MaxInt64)
		return int64(len(b)), err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clone != nil {
		kind, n, _, err := s.clone.find(h, 0)
		if kind != plumbing.BlobObject {
			err = errors.Join(err, fmt.Errorf("%w: blob %s", ErrMissing, h))
		}
		return n, err
	}
	n, err := s.objects.EncodedObjectSize(h)
	if err != nil {
		return 0, s.missing(plumbing.BlobObject, h)
	}
	return n, nil
}

// TooLargeError reports an object that exceeds a limit.
type TooLargeError struct{ Size, Max int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("has %d bytes, at most %d are allowed", e.Size, e.Max)
}

// maxCommit bounds the bytes of a commit object.
const maxCommit = 1 << 20

// Commit reads a commit.
func (s *Store) Commit(h Hash) (*object.Commit, error) {
	b, err := s.read(plumbing.CommitObject, h, maxCommit)
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

// Has reports whether the store holds an object of that name.
func (s *Store) Has(h Hash) bool {
	if s.memory != nil {
		_, ok := s.memory[h]
		return ok
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clone != nil {
		kind, _, _, err := s.clone.find(h, 0)
		return kind != plumbing.InvalidObject && err == nil
	}
	return s.objects.HasEncodedObject(h) == nil
}
