package git

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"
)

// An ObjectLog keeps in a file, as they are, the objects of the commits of one
// branch: who starts again reads in one go what it would have to fetch, inflate and
// put together. It is a cache, and it is believed as far as its objects have the
// name of their content. What is torn, damaged or not there is fetched instead.
// One process at a time holds it, for one goroutine at a time.
type ObjectLog struct {
	path string
	lock *os.File
	file *os.File // nil: nothing is kept until the next Replace
	size int64    // bytes, of which …
	base int64    // … the last Replace wrote so many
}

// logHead starts every log. A record is its kind, the name of an object, the
// length of its content as a varint and the content; after the objects of a commit
// comes a record that has no content and names the commit.
const (
	logHead   = "d-aros objects 1\n"
	logCommit = byte(0)
)

// OpenObjectLog opens the log in dir, or fails because another process has it.
func OpenObjectLog(dir string) (*ObjectLog, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open object log: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open object log: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("open object log %s: another process uses it", dir)
	}
	return &ObjectLog{path: filepath.Join(dir, "objects.log"), lock: lock}, nil
}

// Close gives the log free for another process.
func (l *ObjectLog) Close() error {
	l.stop()
	return l.lock.Close()
}

// stop keeps nothing more until the next Replace.
func (l *ObjectLog) stop() {
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

// Store returns a store in memory with what is kept of a commit, if that is all.
// Objects of the next commits are then appended.
func (l *ObjectLog) Store(commit Hash) (*Store, bool) {
	l.stop()
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, false
	}
	info, err := file.Stat()
	if err != nil || info.Size() > maxMemory {
		_ = file.Close()
		return nil, false
	}
	data := make([]byte, info.Size())
	s := NewMemoryStore()
	if _, err = io.ReadFull(file, data); err == nil {
		s.memory, l.size = readLog(data, commit)
	}
	if err == nil && l.size < info.Size() {
		err = file.Truncate(l.size) // what comes next must not follow what is torn
	}
	if _, kept := s.memory[commit]; !kept || err != nil {
		_ = file.Close()
		return nil, false
	}
	l.file, l.base = file, l.size
	return s, true
}

// readLog returns the objects that a log holds up to where it is torn, and where
// that is. The commit is among them only if all its objects are. The log stays in
// memory as long as they do.
func readLog(data []byte, commit Hash) (objects map[Hash]unpacked, good int64) {
	objects = map[Hash]unpacked{}
	rest, ok := bytes.CutPrefix(data, []byte(logHead))
	if !ok {
		return objects, 0
	}
	complete := false
	defer func() {
		if good = int64(len(data) - len(rest)); !complete {
			delete(objects, commit)
		}
	}()
	hash := sha1.New() // collisions can be made, and whoever can write here could make anything
	for len(rest) > 0 {
		kind, name, content, next, ok := readRecord(rest)
		if !ok {
			return objects, good
		}
		if kind == logCommit {
			complete = complete || name == commit
			rest = next
			continue
		}
		hash.Reset()
		_, _ = fmt.Fprintf(hash, "%s %d\x00", plumbing.ObjectType(kind), len(content))
		_, _ = hash.Write(content)
		if string(hash.Sum(nil)) != string(name[:]) {
			return objects, good
		}
		objects[name] = unpacked{plumbing.ObjectType(kind), content}
		rest = next
	}
	return objects, good
}

// readRecord takes the first record off a log.
func readRecord(log []byte) (kind byte, name Hash, content, rest []byte, ok bool) {
	if len(log) < 1+len(name) {
		return 0, name, nil, nil, false
	}
	kind, log = log[0], log[1:]
	log = log[copy(name[:], log):]
	if kind == logCommit {
		return kind, name, nil, log, true
	}
	size, n := binary.Uvarint(log)
	if n <= 0 || size > uint64(len(log)-n) {
		return 0, name, nil, nil, false
	}
	end := n + int(size)
	return kind, name, log[n:end:end], log[end:], true
}

// Append keeps the objects that a commit adds to one whose objects are kept. It may
// come before the commit is anybody's truth: a log that holds more than what counts
// is right, too. It is false when the log has grown so much that it is time to
// Replace it.
func (l *ObjectLog) Append(objects *Objects, commit Hash) (fits bool, err error) {
	if l.file == nil {
		return true, nil // something is missing already
	}
	to := bufio.NewWriterSize(l.file, 64<<10) // it remembers its first error
	for _, h := range objects.order {
		o := objects.storage.Objects[h]
		writeHead(to, o.Type(), h, o.Size())
		r, err := o.Reader()
		if err == nil {
			_, err = to.ReadFrom(r)
			_ = r.Close()
		}
		if err != nil {
			l.stop()
			return true, fmt.Errorf("keep objects: %w", err)
		}
	}
	_ = to.WriteByte(logCommit)
	_, _ = to.Write(commit[:])
	err = to.Flush()
	if info, statErr := l.file.Stat(); err == nil && statErr == nil {
		l.size = info.Size()
		return l.size < 2*l.base+logGrowth, nil
	}
	l.stop() // what is torn is of no use
	return true, fmt.Errorf("keep objects: %w", err)
}

// logGrowth is how much a small log may grow.
const logGrowth = 8 << 20

// Replace keeps the objects of a commit in place of all else, but for the files that
// are left out by their names. ZeroHash is the commit before the first: it has none.
func (l *ObjectLog) Replace(s *Store, commit Hash, without func(name string) bool) error {
	l.stop()
	file, err := os.OpenFile(l.path+".new", os.O_CREATE|os.O_RDWR|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("keep objects: %w", err)
	}
	w := &logWriter{store: s, to: bufio.NewWriterSize(file, 1<<20), seen: map[Hash]bool{}, without: without}
	_, _ = w.to.WriteString(logHead)
	if commit != ZeroHash {
		err = w.commit(commit)
	}
	if err = errors.Join(err, w.to.Flush()); err == nil {
		err = os.Rename(file.Name(), l.path)
	}
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
		return fmt.Errorf("keep objects: %w", err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	l.file, l.size, l.base = file, size, size
	return err
}

// A logWriter writes each object that a commit needs once.
type logWriter struct {
	store   *Store
	to      *bufio.Writer // it remembers its first error
	seen    map[Hash]bool
	without func(name string) bool
}

func (w *logWriter) commit(h Hash) error {
	c, err := w.store.Commit(h)
	if err != nil {
		return err
	}
	if err := w.object(plumbing.CommitObject, h); err != nil {
		return err
	}
	if err := w.tree(c.TreeHash); err != nil {
		return err
	}
	_ = w.to.WriteByte(logCommit)
	_, _ = w.to.Write(h[:])
	return nil
}

func (w *logWriter) tree(h Hash) error {
	if w.seen[h] || h == emptyTree {
		return nil
	}
	t, err := w.store.Tree(h)
	if err != nil {
		return err
	}
	for _, e := range t.Entries {
		switch {
		case e.Refused != "" || e.Mode != ModeDir && w.without(e.Name):
			continue
		case e.Mode == ModeDir:
			err = w.tree(e.Hash)
		default:
			err = w.object(plumbing.BlobObject, e.Hash)
		}
		if err != nil {
			return err
		}
	}
	return w.object(plumbing.TreeObject, h)
}

func (w *logWriter) object(kind plumbing.ObjectType, h Hash) error {
	if w.seen[h] {
		return nil
	}
	w.seen[h] = true
	o, ok := w.store.memory[h]
	if !ok || o.kind != kind {
		return fmt.Errorf("%w: %s %s", ErrMissing, kind, h)
	}
	writeHead(w.to, kind, h, int64(len(o.content)))
	_, _ = w.to.Write(o.content)
	return nil
}

// writeHead begins the record of an object; its content follows.
func writeHead(to *bufio.Writer, kind plumbing.ObjectType, h Hash, size int64) {
	_ = to.WriteByte(byte(kind))
	_, _ = to.Write(h[:])
	_, _ = to.Write(binary.AppendUvarint(nil, uint64(size)))
}
