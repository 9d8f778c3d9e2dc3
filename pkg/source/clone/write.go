package clone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// Change is another content of a file, which may come or go.
type Change struct {
	Name   string // path in the fleet repo
	Before []byte // nil: there is no such file
	After  []byte // nil: there is none afterwards
}

// Write writes changes into the work tree, each file whole or not at all. It writes nothing if one of the files has changes
// that are not committed, or is not as the changes say that it was.
func (w *Tree) Write(ctx context.Context, changes ...Change) error {
	if err := w.Untouched(ctx, changes...); err != nil {
		return err
	}
	for _, c := range changes {
		if err := w.replace(c); err != nil {
			return fmt.Errorf("write %s: %w", c.Name, err)
		}
	}
	return nil
}

// Untouched returns an error unless the files are committed and as the changes say that they were.
func (w *Tree) Untouched(ctx context.Context, changes ...Change) error {
	for _, c := range changes {
		if w.Git {
			dirty, err := Line(ctx, w.Root, "status", "--porcelain", "--", ":(literal)"+c.Name)
			if err != nil {
				return err
			}
			if dirty != "" {
				return fmt.Errorf("%s has changes that are not committed; commit or undo them first", c.Name)
			}
		}
		was, err := w.Read(c.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && c.Before == nil:
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is gone; try again", c.Name)
		case err != nil:
			return err
		case c.Before == nil:
			return fmt.Errorf("%s exists already", c.Name)
		case !bytes.Equal(was, c.Before):
			return fmt.Errorf("%s changes at this moment; try again", c.Name)
		}
	}
	return nil
}

// replace gives a file another content, of which nobody sees a part, or removes it with the directories that are empty then.
func (w *Tree) replace(c Change) error {
	name := filepath.FromSlash(c.Name)
	if c.After == nil {
		err := w.Top.Remove(name)
		for dir := filepath.Dir(name); err == nil && dir != "." && w.Top.Remove(dir) == nil; {
			dir = filepath.Dir(dir)
		}
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := w.Top.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if err := w.Top.MkdirAll(filepath.FromSlash(path.Dir(c.Name)), 0o755); err != nil {
		return err
	}
	temporary := name + ".new~"
	if err := w.Top.WriteFile(temporary, c.After, mode); err != nil {
		return err
	}
	if err := w.Top.Rename(temporary, name); err != nil {
		_ = w.Top.Remove(temporary)
		return err
	}
	return nil
}

// CommitFiles commits files that were written or removed and nothing else, signed if git is told to. It returns the commit and
// whether that has a signature.
func (w *Tree) CommitFiles(ctx context.Context, message string, files ...string) (commit string, signed bool, err error) {
	paths := []string{"commit", "--quiet", "--message", message, "--only", "--"}
	for _, f := range files {
		literal := ":(literal)" + f
		if _, err := w.Top.Lstat(filepath.FromSlash(f)); err == nil {
			if _, err := Output(ctx, w.Root, "add", "--intent-to-add", "--", literal); err != nil {
				return "", false, notCommitted(files, err)
			}
		} else if known, err := Line(ctx, w.Root, "ls-files", "--", literal); err != nil || known == "" {
			continue // it never was in Git
		}
		paths = append(paths, literal)
	}
	if _, err := Output(ctx, w.Root, paths...); err != nil {
		return "", false, notCommitted(files, err)
	}
	if commit, err = Line(ctx, w.Root, "rev-parse", "HEAD"); err != nil {
		return "", false, err
	}
	signed, err = w.signed(ctx, commit)
	return commit, signed, err
}

func notCommitted(files []string, err error) error {
	return fmt.Errorf("%s is written but not committed: %w", text.Enumerate(files, 5), err)
}

// signed reports whether a commit has a signature.
func (w *Tree) signed(ctx context.Context, commit string) (bool, error) {
	content, err := Output(ctx, w.Root, "cat-file", "commit", commit)
	header, _, _ := strings.Cut(string(content), "\n\n")
	return strings.Contains(header, "\ngpgsig"), err
}
