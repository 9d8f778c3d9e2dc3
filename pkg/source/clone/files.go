package clone

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

// Limits of the reconciler on the tree of a commit.
const (
	mostFiles = 100_000
	mostDepth = 32

	MaxBytes = 1 << 20 // of one file
)

// Files is a tree of files that was listed once; each file is read on demand. A name that no commit may hold as a regular
// file is listed as irregular and cannot be opened. Files is safe for concurrent use.
type Files struct {
	entries map[string]*entry // by path; "." is the root
}

// entry is a file or a directory.
type entry struct {
	name     string
	mode     fs.FileMode
	size     int64
	read     func() ([]byte, error)
	digest   func() (string, error)
	children []fs.DirEntry // of a directory, by name
}

// newFiles returns a tree to add files to.
func newFiles() *Files {
	return &Files{entries: map[string]*entry{".": {name: ".", mode: fs.ModeDir | 0o555}}}
}

// add puts a file into the tree. A mode that is not regular is kept as such.
func (t *Files) add(name string, mode fs.FileMode, size int64, read func() ([]byte, error)) error {
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
	} else if size > MaxBytes {
		read = func() ([]byte, error) { return nil, &git.TooLargeError{Size: size, Max: MaxBytes} }
	}
	e := &entry{name: path.Base(name), mode: mode, size: size, read: read}
	e.digest = sync.OnceValues(func() (string, error) {
		if !e.mode.IsRegular() || e.size > MaxBytes {
			return digestOf(e.mode.String(), fmt.Sprint(e.size)), nil // nobody can read it
		}
		b, err := e.read()
		return digestOf("file", string(b)), err
	})
	t.put(name, e)
	return nil
}

// put adds an entry to its directory, which it makes if there is none.
func (t *Files) put(name string, e *entry) {
	t.entries[name] = e
	dir, ok := t.entries[path.Dir(name)]
	if !ok {
		dir = &entry{name: path.Base(path.Dir(name)), mode: fs.ModeDir | 0o555}
		t.put(path.Dir(name), dir)
	}
	dir.children = append(dir.children, fs.FileInfoToDirEntry(e))
}

// finish sorts the directories. Nothing is added after it.
func (t *Files) finish() *Files {
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

// With returns the tree with other content in one of its files.
func (t *Files) With(name string, data []byte) (*Files, error) {
	out := newFiles()
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

func (t *Files) find(op, name string) (*entry, error) {
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
func (t *Files) Digest(name string) (string, error) {
	e, err := t.find("digest", name)
	if err != nil {
		return "", err
	}
	return e.digest()
}

func (t *Files) ReadFile(name string) ([]byte, error) {
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

func (t *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.mode.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is not a directory")}
	}
	return slices.Clone(e.children), nil
}

func (t *Files) Stat(name string) (fs.FileInfo, error) {
	e, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (t *Files) Open(name string) (fs.File, error) {
	e, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	f := &openFile{entry: e, rest: e.children}
	if !e.mode.IsDir() {
		b, err := t.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f.Reader = bytes.NewReader(b)
	}
	return f, nil
}

// A entry describes itself.
func (e *entry) Name() string       { return e.name }
func (e *entry) Size() int64        { return e.size }
func (e *entry) Mode() fs.FileMode  { return e.mode }
func (e *entry) ModTime() time.Time { return time.Time{} } // a commit has none
func (e *entry) IsDir() bool        { return e.mode.IsDir() }
func (e *entry) Sys() any           { return nil }

// openFile is a file or a directory that is being read.
type openFile struct {
	*entry
	*bytes.Reader
	rest []fs.DirEntry
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Size() int64                { return f.entry.size }

func (f *openFile) Read(b []byte) (int, error) {
	if f.Reader == nil {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: errors.New("is a directory")}
	}
	return f.Reader.Read(b)
}

func (f *openFile) ReadDir(n int) ([]fs.DirEntry, error) {
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
