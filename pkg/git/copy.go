package git

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
)

// Copy keeps the content of one branch in a file, so that a process that starts again
// need not fetch it: the pack that was fetched last, and those that were pushed since.
// What is fetched takes its place only when it is accepted, as it may be the last copy
// of a branch that was lost. It is a cache: what is cut off, damaged or missing is
// fetched, and no error of it stops anything. One process at a time holds it, for one
// goroutine at a time. A nil Copy keeps nothing.
type Copy struct {
	path string
	lock *os.File
	file *os.File // nil: nothing is kept until the next fetch
	next bool     // file is what was fetched last, and not accepted yet
	base int64    // bytes that were fetched
	size int64    // bytes with those that were pushed

	memory int64 // see Limits
}

// copyFile holds the packs of a copy.
const copyFile = "packs"

// OpenCopy opens the copy in dir, or fails because another process has it. Of the limits
// that of memory counts.
func OpenCopy(dir string, limits Limits) (*Copy, error) {
	lock, err := hold(dir)
	if err != nil {
		return nil, fmt.Errorf("open copy of a branch: %w", err)
	}
	return &Copy{path: filepath.Join(dir, copyFile), lock: lock, memory: limits.Memory}, nil
}

// Close releases the copy for another process.
func (c *Copy) Close() error {
	if c == nil {
		return nil
	}
	c.stop()
	return c.lock.Close()
}

// stop keeps nothing more until the next fetch.
func (c *Copy) stop() {
	if c.file != nil {
		_ = c.file.Close()
		c.file = nil
	}
	c.next = false
}

// NewStore returns a store in memory. What it fetches is kept in place of all else once
// it is accepted.
func (c *Copy) NewStore() *Store {
	s := NewMemoryStore()
	s.keep = c
	return s
}

// Clear keeps a branch that has no commit yet, in place of all else.
func (c *Copy) Clear() {
	c.begin(nil)
	c.Accept()
}

// Accept keeps what was fetched last in place of all else.
func (c *Copy) Accept() {
	if c == nil || !c.next {
		return
	}
	if c.next = false; os.Rename(c.path+".new", c.path) != nil {
		c.stop()
	}
}

// begin writes the pack that is read from what it returns beside the copy.
func (c *Copy) begin(pack io.Reader) io.Reader {
	if c == nil {
		return pack
	}
	c.stop()
	c.file, _ = os.OpenFile(c.path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	c.next = c.file != nil
	c.base, c.size = 0, 0
	return io.TeeReader(pack, c)
}

// fetched ends what begin began.
func (c *Copy) fetched(err error) {
	if c == nil {
		return
	}
	if c.base = c.size; err != nil {
		c.stop()
	}
}

// Write keeps a part of a pack. It returns no error: a file that cannot be written is
// not used at the next start.
func (c *Copy) Write(p []byte) (int, error) {
	if c.file != nil {
		if _, err := c.file.Write(p); err != nil {
			c.stop()
		}
	}
	c.size += int64(len(p))
	return len(p), nil
}

// Append keeps the objects of a push. It may come before the push, as a copy may hold
// more than the branch.
func (c *Copy) Append(objects *Objects) {
	if c == nil || c.file == nil || c.next {
		return // what came before is missing already, or not accepted
	}
	_, _ = c.Write(objects.Pack())
}

// How much a small copy may grow before it is fetched again, and what it may never exceed.
const (
	copyGrowth = 4 << 20
	copyExcess = 64 << 20
)

// Grown reports whether a copy has grown so much by pushes that it should be fetched again,
// when there is time for that.
func (c *Copy) Grown() bool { return c != nil && c.file != nil && c.size > c.base+c.base/4+copyGrowth }

// Overgrown reports whether a copy has grown so much that its next reader would wait for
// long: it should be fetched again at once.
func (c *Copy) Overgrown() bool { return c.Grown() && c.size > 2*c.base+copyExcess }

// Fetch keeps the content of a commit in place of all else. Nobody reads it before the
// next start, so it is not unpacked.
func (c *Copy) Fetch(ctx context.Context, from *Remote, commit Hash) {
	err := from.fetch(ctx, commit, nil, 1, func(pack io.Reader) error {
		_, err := io.Copy(io.Discard, c.begin(io.LimitReader(pack, from.limits.Pack)))
		return err
	})
	c.fetched(err)
	c.Accept()
}

// Store returns a store in memory with what is kept, if that has a commit. The next
// pushes are then appended.
func (c *Copy) Store(commit Hash) (*Store, bool) {
	if c == nil {
		return nil, false
	}
	c.stop()
	file, err := os.OpenFile(c.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, false
	}
	u := newUnpacker(file, Limits{Memory: c.memory}.withDefaults())
	info, err := file.Stat()
	if err == nil {
		c.size = info.Size()
		c.base, err = u.packs(c.size)
	}
	if err != nil || u.objects[commit].kind != plumbing.CommitObject {
		_ = file.Close()
		return nil, false
	}
	c.file = file
	return newStore(u.objects), true
}

// ReadCopy returns a store in memory with what a copy in dir keeps, if that has a
// commit. It needs no lock, as it changes nothing: another process may hold the copy. Of the
// limits that of memory counts.
func ReadCopy(dir string, limits Limits, commit Hash) (*Store, bool) {
	c := &Copy{path: filepath.Join(dir, copyFile), memory: limits.Memory}
	defer c.stop()
	return c.Store(commit)
}
