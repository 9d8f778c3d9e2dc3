package git

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// FileLimits bound what a tree may hold. Zero values mean the defaults.
type FileLimits struct {
	Size  int64 // bytes of one file; default 1 MiB
	Count int   // files in the tree; default 100,000
	Depth int   // nested directories; default 32
}

func (l FileLimits) withDefaults() FileLimits {
	return FileLimits{cmp.Or(max(l.Size, 0), 1<<20), cmp.Or(max(l.Count, 0), 100_000), cmp.Or(max(l.Depth, 0), 32)}
}

// Files is the tree of one commit as a file system: immutable, read from the
// store on demand. Symbolic links, submodules and files with refused names are listed
// as irregular and cannot be opened. It is safe for
// concurrent use.
type Files struct {
	store  *Store
	root   Hash
	limits FileLimits
	count  int
}

var (
	_ fs.ReadFileFS = (*Files)(nil)
	_ fs.ReadDirFS  = (*Files)(nil)
	_ fs.StatFS     = (*Files)(nil)
)

// Files returns the tree as a file system, after checking that all its directories
// exist and that it is within the limits.
func (s *Store) Files(tree Hash, limits FileLimits) (*Files, error) {
	limits = limits.withDefaults()
	count, err := s.survey(tree, limits)
	if err != nil {
		return nil, err
	}
	return &Files{store: s, root: tree, limits: limits, count: count}, nil
}

// Count returns how many files the tree holds.
func (f *Files) Count() int { return f.count }

// Digest returns the Git object name of a file or directory. Equal digests mean equal
// content, and nothing below is read.
func (f *Files) Digest(name string) (string, error) {
	e, err := f.find("digest", name)
	if err != nil {
		return "", err
	}
	return e.Hash.String(), nil
}

// find walks down to name.
func (f *Files) find(op, name string) (Entry, error) {
	var parts []string
	if name != "." {
		parts = strings.Split(name, "/")
	}
	e, err := f.store.Find(f.root, parts...)
	switch {
	case !fs.ValidPath(name):
		err = fs.ErrInvalid
	case err == nil && e.Refused != "":
		err = errors.New(e.Name + " " + e.Refused)
	case err == nil && e.Mode == 0:
		err = fs.ErrNotExist
	}
	if err != nil {
		return e, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return e, nil
}

// ReadFile returns the content of a file.
func (f *Files) ReadFile(name string) ([]byte, error) {
	e, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	if e.Mode == ModeDir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	b, err := f.store.from.read(plumbing.BlobObject, e.Hash, f.limits.Size)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return b, nil
}

// ReadDir lists a directory by name.
func (f *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if e.Mode != ModeDir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is not a directory")}
	}
	tree, err := f.store.Tree(e.Hash)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	list := make([]fs.DirEntry, len(tree.Entries))
	for i := range tree.Entries {
		list[i] = dirEntry{f, &tree.Entries[i]}
	}
	return list, nil
}

// Stat describes a file or directory.
func (f *Files) Stat(name string) (fs.FileInfo, error) {
	e, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return dirEntry{f, &e}.Info()
}

// Open opens a file or directory for reading.
func (f *Files) Open(name string) (fs.File, error) {
	e, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	info := fileInfo{name: path.Base(name), mode: modeOf(&e)}
	if e.Mode == ModeDir {
		list, err := f.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return &openDir{info: info, name: name, list: list}, nil
	}
	b, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	info.size = int64(len(b))
	return &openFile{info: info, Reader: bytes.NewReader(b)}, nil
}

func modeOf(e *Entry) fs.FileMode {
	switch {
	case e.Refused != "":
		return fs.ModeIrregular
	case e.Mode == ModeDir:
		return fs.ModeDir | 0o555
	case e.Mode == ModeExecutable:
		return 0o555
	}
	return 0o444
}

type dirEntry struct {
	files *Files
	*Entry
}

func (d dirEntry) Name() string      { return path.Base(d.Entry.Name) }
func (d dirEntry) IsDir() bool       { return d.Entry.IsDir() }
func (d dirEntry) Type() fs.FileMode { return modeOf(d.Entry).Type() }
func (d dirEntry) String() string    { return fs.FormatDirEntry(d) }

func (d dirEntry) Info() (fs.FileInfo, error) {
	info := fileInfo{name: d.Name(), mode: modeOf(d.Entry)}
	if info.mode.IsRegular() {
		n, err := d.files.store.from.size(d.Hash)
		if err != nil {
			return nil, &fs.PathError{Op: "stat", Path: info.name, Err: err}
		}
		info.size = n
	}
	return info, nil
}

type fileInfo struct {
	name string
	mode fs.FileMode
	size int64
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} } // a tree has none
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

type openFile struct {
	info fileInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info fileInfo
	name string
	list []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(d.list) {
		if n > 0 && len(d.list) == 0 {
			return nil, io.EOF
		}
		n = len(d.list)
	}
	list := d.list[:n:n]
	d.list = d.list[n:]
	return list, nil
}
