package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
)

// Caps of the reconciler on the tree of a commit.
const (
	mostFiles = 100_000
	mostDepth = 32
	mostBytes = 1 << 20 // of one file
)

// fileTree is a tree of files that was listed once and is read when asked, like
// that of a commit. What a commit could not hold as a regular file shows in its
// directory as irregular and cannot be opened. It is safe for concurrent use.
type fileTree struct {
	entries map[string]*treeEntry // by path; "." is the root
}

// treeEntry is a file or a directory.
type treeEntry struct {
	name     string
	mode     fs.FileMode
	size     int64
	read     func() ([]byte, error)
	digest   func() (string, error)
	children []fs.DirEntry // of a directory, by name
}

func newTree() *fileTree {
	return &fileTree{entries: map[string]*treeEntry{".": {name: ".", mode: fs.ModeDir | 0o555}}}
}

// add puts a file into the tree. A mode that is not regular is kept as such.
func (t *fileTree) add(name string, mode fs.FileMode, size int64, read func() ([]byte, error)) error {
	switch {
	case !fs.ValidPath(name) || name == ".":
		return nil // nothing that a tree could hold
	case len(t.entries) >= mostFiles:
		return fmt.Errorf("more than %d files; the reconciler reads no such repo", mostFiles)
	case strings.Count(name, "/") > mostDepth:
		return fmt.Errorf("%s: nested deeper than %d directories; the reconciler reads no such repo", name, mostDepth)
	}
	for part := range strings.SplitSeq(name, "/") {
		if git.RefuseName(part) != "" {
			mode = fs.ModeIrregular
		}
	}
	if !mode.IsRegular() {
		mode = fs.ModeIrregular
		read = func() ([]byte, error) { return nil, errors.New("is no regular file") }
	} else if size > mostBytes {
		read = func() ([]byte, error) { return nil, &git.TooLargeError{Size: size, Max: mostBytes} }
	}
	e := &treeEntry{name: path.Base(name), mode: mode, size: size, read: read}
	e.digest = sync.OnceValues(func() (string, error) {
		if !e.mode.IsRegular() || e.size > mostBytes {
			return digestOf(e.mode.String(), fmt.Sprint(e.size)), nil // nobody can read it
		}
		b, err := e.read()
		return digestOf("file", string(b)), err
	})
	t.put(name, e)
	return nil
}

// put hangs an entry below its directory and makes that if need be.
func (t *fileTree) put(name string, e *treeEntry) {
	t.entries[name] = e
	dir, ok := t.entries[path.Dir(name)]
	if !ok {
		dir = &treeEntry{name: path.Base(path.Dir(name)), mode: fs.ModeDir | 0o555}
		t.put(path.Dir(name), dir)
	}
	dir.children = append(dir.children, fs.FileInfoToDirEntry(e))
}

// finish sorts the directories. Nothing is added after it.
func (t *fileTree) finish() *fileTree {
	for name, e := range t.entries {
		if !e.mode.IsDir() {
			continue
		}
		slices.SortFunc(e.children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		e.digest = sync.OnceValues(func() (string, error) {
			parts := []string{"directory"}
			for _, c := range e.children {
				d, err := t.entries[path.Join(name, c.Name())].digest()
				if err != nil {
					return "", err
				}
				parts = append(parts, c.Name(), d)
			}
			return digestOf(parts...), nil
		})
	}
	return t
}

func digestOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// with returns the tree with other content in one file that it has.
func (t *fileTree) with(name string, data []byte) (*fileTree, error) {
	out := newTree()
	for _, file := range slices.Sorted(maps.Keys(t.entries)) {
		e := t.entries[file]
		if e.mode.IsDir() {
			continue
		}
		size, read := e.size, e.read
		if file == name {
			size, read = int64(len(data)), func() ([]byte, error) { return data, nil }
		}
		if err := out.add(file, e.mode, size, read); err != nil {
			return nil, err
		}
	}
	return out.finish(), nil
}

func (t *fileTree) find(op, name string) (*treeEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	e, ok := t.entries[name]
	if !ok {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return e, nil
}

// Digest identifies the content of a file or of a directory with all below it.
func (t *fileTree) Digest(name string) (string, error) {
	e, err := t.find("digest", name)
	if err != nil {
		return "", err
	}
	return e.digest()
}

func (t *fileTree) ReadFile(name string) ([]byte, error) {
	e, err := t.find("read", name)
	if err != nil {
		return nil, err
	}
	if e.mode.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	b, err := e.read()
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return b, nil
}

func (t *fileTree) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.mode.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is not a directory")}
	}
	return slices.Clone(e.children), nil
}

func (t *fileTree) Stat(name string) (fs.FileInfo, error) {
	e, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (t *fileTree) Open(name string) (fs.File, error) {
	e, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	f := &openEntry{treeEntry: e, rest: e.children}
	if !e.mode.IsDir() {
		b, err := t.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f.Reader = bytes.NewReader(b)
	}
	return f, nil
}

// A treeEntry describes itself.
func (e *treeEntry) Name() string       { return e.name }
func (e *treeEntry) Size() int64        { return e.size }
func (e *treeEntry) Mode() fs.FileMode  { return e.mode }
func (e *treeEntry) ModTime() time.Time { return time.Time{} } // a commit has none
func (e *treeEntry) IsDir() bool        { return e.mode.IsDir() }
func (e *treeEntry) Sys() any           { return nil }

// openEntry is a file or a directory that is being read.
type openEntry struct {
	*treeEntry
	*bytes.Reader
	rest []fs.DirEntry
}

func (f *openEntry) Stat() (fs.FileInfo, error) { return f.treeEntry, nil }
func (f *openEntry) Close() error               { return nil }
func (f *openEntry) Size() int64                { return f.treeEntry.size }

func (f *openEntry) Read(b []byte) (int, error) {
	if f.Reader == nil {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: errors.New("is a directory")}
	}
	return f.Reader.Read(b)
}

func (f *openEntry) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(f.rest) {
		if n > 0 && len(f.rest) == 0 {
			return nil, io.EOF
		}
		n = len(f.rest)
	}
	list := slices.Clone(f.rest[:n])
	f.rest = f.rest[n:]
	return list, nil
}
