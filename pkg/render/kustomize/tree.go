package kustomize

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/d-aros/d-aros/pkg/render/build"
)

// Bounds of an application's directory.
const (
	maxFiles = 10_000
	maxRead  = 16 << 20 // bytes that all its kustomizations read, which nobody stops: a file counts each time
)

// tree lists an application's directory, and what it builds on of other repositories: the type
// and size of each path. Links are listed and never followed.
type tree struct {
	files   fs.FS
	outside build.Outside
	mounts  map[string]fs.FS // of other repositories, by where they are in the tree

	kinds map[string]fs.FileMode // by path
	sizes map[string]int64
	read  int64 // bytes of files so far
}

// list adds what files has to the tree, below root.
func (t *tree) list(files fs.FS, root string) error {
	return fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if len(t.kinds) >= maxFiles {
			return fmt.Errorf("the application's directory has, with what it builds on, more than %d files", maxFiles)
		}
		p = path.Join(root, p)
		t.kinds[p] = d.Type()
		if d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			t.sizes[p] = info.Size()
		}
		return nil
	})
}

// resolve returns the path that a reference in a file of dir leads to. Only relative paths
// inside the application's directory are references, or inside the repository that dir is of.
func (t *tree) resolve(dir, ref string) (string, error) {
	switch {
	case ref == "" || len(ref) > 1024:
		return "", errors.New("is empty or longer than a path")
	case strings.ContainsFunc(ref, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == '\uFFFD' }):
		return "", errors.New("is not a path")
	case strings.ContainsAny(ref, ":?"):
		return "", errors.New("looks like an address, and nothing is fetched; put a copy into the application's directory and name that")
	case path.IsAbs(ref):
		return "", errors.New("is an absolute path")
	}
	p, root := path.Join(dir, ref), t.rootOf(dir)
	switch {
	case root == "" && (p == ".." || strings.HasPrefix(p, "../")):
		return "", errors.New("leads out of the application's directory")
	case root != "" && p != root && !strings.HasPrefix(p, root+"/"):
		return "", errors.New("leads out of the repository that it is in")
	}
	for above := p; above != "."; above = path.Dir(above) {
		if mode, ok := t.kinds[above]; ok && mode&fs.ModeType != 0 && !mode.IsDir() {
			return "", errors.New("is a link or a special file, or leads through one")
		}
	}
	if _, ok := t.kinds[p]; !ok {
		return "", errors.New("is not there")
	}
	return p, nil
}

func (t *tree) isDir(p string) bool { return t.kinds[p].IsDir() }

// file returns a file of the tree.
func (t *tree) file(p string) ([]byte, error) {
	if mode, ok := t.kinds[p]; !ok || !mode.IsRegular() {
		return nil, errors.New("is not a file")
	}
	if t.sizes[p] > maxFile {
		return nil, fmt.Errorf("has %d bytes, at most %d are read", t.sizes[p], maxFile)
	}
	if t.read += t.sizes[p]; t.read > maxRead {
		return nil, fmt.Errorf("is not read: the kustomizations of the application read more than %d MiB together", maxRead>>20)
	}
	files, name := t.files, p
	if root := t.rootOf(p); root != "" {
		files, name = t.mounts[root], strings.TrimPrefix(p, root+"/")
	}
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("has %d bytes, at most %d are read", len(b), maxFile)
	}
	return b, nil
}
