package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"golang.org/x/sys/unix"
)

// disk is a bare repository that this process alone writes.
type disk struct {
	dir  string
	lock *os.File

	mu      sync.Mutex
	objects *filesystem.Storage
	damaged bool
}

func openDisk(dir string) (*disk, error) {
	lock, err := hold(dir)
	if err != nil {
		return nil, err
	}
	d := &disk{dir: dir, lock: lock}
	if err := d.start(); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return d, nil
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

// repository is where the objects lie below the directory.
func (d *disk) repository() string { return filepath.Join(d.dir, "repository.git") }

// packs is where the packs lie.
func (d *disk) packs() string { return filepath.Join(d.repository(), "objects", "pack") }

func (d *disk) start() error {
	packs := d.packs()
	if err := os.MkdirAll(packs, 0o700); err != nil {
		return err
	}
	if err := removeUnfinished(packs); err != nil {
		return err
	}
	stale, _ := filepath.Glob(filepath.Join(d.dir, incoming+"*"))
	for _, name := range stale {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	d.damaged = false
	d.objects = filesystem.NewStorageWithOptions(osfs.New(d.repository()), cache.NewObjectLRU(8*cache.MiByte), filesystem.Options{MaxOpenDescriptors: 32})
	return d.objects.Init()
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	// A process that is being started has a copy of the file for a moment, so closing is not enough.
	return errors.Join(d.objects.Close(), unix.Flock(int(d.lock.Fd()), unix.LOCK_UN), d.lock.Close())
}

func (d *disk) reset() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.objects.Close()
	if err := os.RemoveAll(d.repository()); err != nil {
		return err
	}
	return d.start()
}

func (d *disk) read(kind plumbing.ObjectType, h Hash, max int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	size, err := d.objects.EncodedObjectSize(h)
	if err != nil {
		return nil, d.missing(h)
	}
	if size > max {
		return nil, &TooLargeError{Size: size, Max: max}
	}
	obj, err := d.objects.EncodedObject(kind, h)
	if err != nil {
		return nil, d.missing(h)
	}
	r, err := obj.Reader()
	if err != nil {
		return nil, d.missing(h)
	}
	defer r.Close()
	var buf bytes.Buffer
	buf.Grow(int(size))
	if _, err := io.Copy(&buf, io.LimitReader(r, size+1)); err != nil || plumbing.ComputeHash(kind, buf.Bytes()) != h {
		return nil, d.missing(h)
	}
	return buf.Bytes(), nil
}

func (d *disk) size(h Hash) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.objects.EncodedObjectSize(h)
	if err != nil {
		return 0, d.missing(h)
	}
	return n, nil
}

func (d *disk) has(h Hash) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.objects.HasEncodedObject(h) == nil
}

// missing marks the store as damaged: it lacks an object that it should hold.
func (d *disk) missing(h Hash) error {
	d.damaged = true
	return missing(h)
}
