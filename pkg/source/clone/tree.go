package clone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Tree is the directory of a fleet repo on this machine, committed or not.
type Tree struct {
	Root  string   // absolute; the platform is declared there
	Below string   // the selected part of it, "." for all
	Git   bool     // it lies in a Git work tree that does not ignore it
	Top   *os.Root // opens files below Root, and none that a link leads to elsewhere
	blobs blobReader
}

// Open finds the fleet repo that dir belongs to. The caller closes it.
func Open(ctx context.Context, dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	root := dir
	for !isFleet(root) {
		parent := filepath.Dir(root)
		if parent == root {
			return nil, fmt.Errorf("%s is not in a fleet repo: neither it nor a directory above has fleet.cue or cue.mod; \"reconciler init DIR\" makes one", dir)
		}
		root = parent
	}
	below, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(filepath.ToSlash(below), "/")
	below = strings.Join(parts[:min(4, len(parts))], "/") // an application is judged as a whole
	w := &Tree{Root: root, Below: below, Top: top, blobs: blobReader{dir: root}}
	if inside, err := Line(ctx, root, "rev-parse", "--is-inside-work-tree"); err == nil && inside == "true" {
		_, err := Line(ctx, filepath.Dir(root), "check-ignore", "--quiet", "./"+filepath.Base(root))
		w.Git = err != nil // it exits with 0 for what is ignored
	}
	return w, nil
}

func isFleet(dir string) bool {
	for _, name := range []string{"fleet.cue", "cue.mod"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

func (w *Tree) Close() {
	w.blobs.close()
	_ = w.Top.Close()
}

// Files lists the files that "git add --all" would put into the next commit: tracked and new ones as they lie on disk, but
// no ignored ones. Outside of Git it lists every file.
func (w *Tree) Files(ctx context.Context) (*Files, error) {
	names, err := w.list(ctx)
	if err != nil {
		return nil, err
	}
	t := newFiles()
	seen := map[string]bool{}
	for _, name := range names {
		name = strings.TrimSuffix(name, "/") // a repository of its own
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		info, err := w.Top.Lstat(filepath.FromSlash(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // deleted
		case err != nil:
			return nil, err
		case info.IsDir():
			if _, err := w.Top.Lstat(filepath.Join(filepath.FromSlash(name), ".git")); err != nil {
				continue // was a file once
			}
		}
		err = t.add(name, info.Mode().Type(), info.Size(), func() ([]byte, error) { return w.Read(name) })
		if err != nil {
			return nil, err
		}
	}
	return t.finish(), nil
}

// Read returns the content of a file of the tree.
func (w *Tree) Read(name string) ([]byte, error) {
	f, err := w.Top.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(b) > MaxBytes {
		err = errors.New("grew while it was read")
	}
	return b, err
}

func (w *Tree) list(ctx context.Context) (names []string, err error) {
	if w.Git {
		out, err := Output(ctx, w.Root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", w.Root, err)
		}
		return strings.Split(string(out), "\x00"), nil
	}
	err = fs.WalkDir(w.Top.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.IsDir():
			return nil
		case len(names) > mostFiles:
			return fs.SkipAll // adding them says so
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", w.Root, err)
	}
	return names, nil
}
