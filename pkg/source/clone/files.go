package clone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/d-aros/d-aros/pkg/git"
)

// Limits of the reconciler on the tree of a commit.
const (
	mostFiles = 100_000
	maxBytes  = 1 << 20 // of one file

	mostChanged = 10_000 // between two trees that are compared
)

// Files is a tree of the clone, committed or not. It never changes.
type Files = git.Files

// Files returns the tree that "git add --all" would commit: tracked and new files as they lie on disk, but no ignored
// ones. Outside of Git it has every file. It reads those that differ from what Git has; the others are read when asked.
func (w *Tree) Files(ctx context.Context) (*Files, error) {
	entries := map[string]git.Entry{}
	changed, err := w.tracked(ctx, entries)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", w.Root, err)
	}
	for _, name := range changed {
		name = strings.TrimSuffix(name, "/") // a nested repository
		delete(entries, name)
		info, err := w.Top.Lstat(filepath.FromSlash(name))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			continue // deleted
		case err != nil:
			return nil, err
		case info.IsDir():
			if _, err := w.Top.Lstat(filepath.Join(filepath.FromSlash(name), ".git")); err != nil {
				continue // was a file once
			}
			entries[name] = git.Entry{Name: name, Mode: git.ModeSubmodule}
		case !info.Mode().IsRegular():
			entries[name] = git.Entry{Name: name, Mode: git.ModeSymlink}
		default:
			content, err := w.start(name)
			if err != nil {
				return nil, err
			}
			entries[name] = git.Entry{Name: name, Mode: git.ModeFile, Hash: w.store.AddBlob(content, max(info.Size(), int64(len(content))))}
		}
	}
	return w.files(w.store.AddTree(slices.Collect(maps.Values(entries))))
}

// files returns a tree within the limits.
func (w *Tree) files(tree git.Hash) (*Files, error) {
	return w.store.Files(tree, git.FileLimits{Size: maxBytes, Count: mostFiles})
}

// With returns a tree of the clone after changes.
func (w *Tree) With(before tree, changes ...Change) (*Files, error) {
	is, err := hashOf(before)
	if err != nil {
		return nil, err
	}
	objects := git.NewObjects()
	if is, err = w.changed(is, "", changes, objects); err != nil {
		return nil, err
	}
	w.store.Hold(objects)
	return w.files(is)
}

// changed returns what a tree is after changes of files below a path, and puts what is new of it among objects.
func (w *Tree) changed(tree git.Hash, below string, changes []Change, objects *git.Objects) (_ git.Hash, err error) {
	for _, c := range changes {
		if tree, err = objects.AddChanged(w.store, tree, strings.Split(below+c.Name, "/"), c.After); err != nil {
			return tree, fmt.Errorf("change %s: %w", c.Name, err)
		}
	}
	return tree, nil
}

// tree is files that have a digest as those of a commit do.
type tree interface {
	Digest(name string) (string, error)
}

// TooManyError says that two trees differ in more than is listed.
type TooManyError = git.TooManyError

// Changed lists the paths in which two trees of the clone differ, sorted. More than a limit are a *TooManyError.
func (w *Tree) Changed(before, after tree) ([]string, error) {
	was, err := hashOf(before)
	if err != nil {
		return nil, err
	}
	is, err := hashOf(after)
	if err != nil {
		return nil, err
	}
	return w.store.Changed(was, is, mostChanged)
}

func hashOf(t tree) (git.Hash, error) {
	digest, err := t.Digest(".")
	h, ok := git.ParseHash(digest)
	if err == nil && !ok {
		err = fmt.Errorf("%q is no hash of a tree", digest)
	}
	return h, err
}

// tracked adds the files that Git has, and returns the names of those that may differ on disk.
func (w *Tree) tracked(ctx context.Context, entries map[string]git.Entry) (changed []string, err error) {
	if !w.Git {
		return w.walk()
	}
	out, err := Output(ctx, w.Root, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		field := strings.Fields(about) // mode, object, stage
		if !ok || len(field) != 3 {
			continue
		}
		mode, err := strconv.ParseUint(field[0], 8, 32)
		h, known := git.ParseHash(field[1])
		if err != nil || !known {
			return nil, fmt.Errorf("%s: the entry %s %s is none that the reconciler reads", name, field[0], field[1])
		}
		entries[name] = git.Entry{Name: name, Mode: git.Mode(mode), Hash: h}
	}
	out, err = Output(ctx, w.Root, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" }), nil
}

// walk lists all files.
func (w *Tree) walk() (names []string, err error) {
	err = fs.WalkDir(w.Top.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.IsDir():
			return nil
		case len(names) > mostFiles:
			return fs.SkipAll // the limit of the tree reports it
		}
		names = append(names, name)
		return nil
	})
	return names, err
}

// Read returns the content of a file of the tree.
func (w *Tree) Read(name string) ([]byte, error) {
	b, err := w.start(name)
	if err == nil && len(b) > maxBytes {
		err = &git.TooLargeError{Size: int64(len(b)), Max: maxBytes}
	}
	return b, err
}

// start reads a file, or the start of one that is too large.
func (w *Tree) start(name string) ([]byte, error) {
	f, err := w.Top.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}
