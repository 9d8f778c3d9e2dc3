package clone

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
)

// Tree is the directory of a fleet repo on this machine, committed or not.
type Tree struct {
	Root  string   // absolute; the platform is declared there
	Below string   // the selected part of it, "." for all
	Git   bool     // it lies in a Git work tree that does not ignore it
	AtTop bool     // … and is the top of that
	Top   *os.Root // opens files below Root, and none that a link leads to elsewhere
	store *git.Store
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
			if bare, err := Line(ctx, dir, "rev-parse", "--is-bare-repository"); err == nil && bare == "true" {
				return nil, fmt.Errorf("%s is a bare repository, in which no files are checked out; \"git clone %s DIR\" makes a clone that has them", dir, dir)
			}
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
	w := &Tree{Root: root, Below: below, Top: top, store: git.OpenClone(ctx, root)}
	said, err := Line(ctx, root, "rev-parse", "--is-inside-work-tree", "--show-prefix")
	if inside, prefix, _ := strings.Cut(said, "\n"); err == nil && inside == "true" {
		w.AtTop = prefix == ""
		_, err := Line(ctx, filepath.Dir(root), "check-ignore", "--quiet", "./"+filepath.Base(root))
		w.Git = err != nil // it exits with 0 for what is ignored
	}
	return w, nil
}

func isFleet(dir string) bool {
	return slices.ContainsFunc([]string{"fleet.cue", "cue.mod"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

func (w *Tree) Close() {
	_ = w.store.Close()
	if w.Top != nil {
		_ = w.Top.Close()
	}
}
