package git

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// logHead starts every log. A record is its kind, the name of an object, the
// length of its content as a varint and the content; after the objects of a commit
// comes a record that has no content and names the commit.
const (
	logHead   = "d-aros objects 1\n"
	logCommit = byte(0)
)

// A logReader is what a log says up to where it is torn. The log stays in memory as
// long as its objects do.
type logReader struct {
	objects  map[Hash]unpacked
	complete bool  // all objects of the commit asked for are among them
	base     int64 // bytes up to the end of the first commit
	good     int64 // bytes up to where it is torn
}

func readLog(data []byte, commit Hash) logReader {
	r := logReader{objects: map[Hash]unpacked{}}
	rest, ok := bytes.CutPrefix(data, []byte(logHead))
	if !ok {
		return r
	}
	hash := sha1.New() // the one of Git that finds made collisions is slow; who can write here can make anything
	for {
		r.good = int64(len(data) - len(rest))
		kind, name, content, next, ok := readRecord(rest)
		if !ok {
			return r
		}
		rest = next
		if kind == logCommit {
			r.complete = r.complete || name == commit
			if r.base == 0 {
				r.base = int64(len(data) - len(rest))
			}
			continue
		}
		hash.Reset()
		_, _ = fmt.Fprintf(hash, "%s %d\x00", plumbing.ObjectType(kind), len(content))
		_, _ = hash.Write(content)
		if string(hash.Sum(nil)) != string(name[:]) {
			return r
		}
		r.objects[name] = unpacked{plumbing.ObjectType(kind), content}
	}
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
