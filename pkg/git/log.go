package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	base int64    // bytes up to the end of its first commit: what the last Replace wrote
}

// OpenObjectLog opens the log in dir, or fails because another process has it.
func OpenObjectLog(dir string) (*ObjectLog, error) {
	lock, err := hold(dir)
	if err != nil {
		return nil, fmt.Errorf("open object log: %w", err)
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
	var read logReader
	if _, err = io.ReadFull(file, data); err == nil {
		read = readLog(data, commit)
		err = file.Truncate(read.good) // what comes next must not follow what is torn
	}
	if err != nil || !read.complete {
		_ = file.Close()
		return nil, false
	}
	l.file, l.base = file, read.base
	s := NewMemoryStore()
	s.memory = read.objects
	return s, true
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
		return info.Size() < 2*l.base+logGrowth, nil
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
	l.file = file
	l.base, err = file.Seek(0, io.SeekEnd)
	return err
}
