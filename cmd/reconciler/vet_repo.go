package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// workTree is the directory of a fleet repo on this machine, committed or not.
type workTree struct {
	root  string // absolute, where the platform is declared
	below string // the part of it that was asked for, "." for all
	git   bool   // whether it lies in a Git work tree that does not ignore it
	top   *os.Root
	blobs blobReader
}

// inWorkTree runs a command on the fleet repo that its argument belongs to, by
// default the present directory.
func inWorkTree(do func(*cobra.Command, *workTree) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dir := "."
		if len(args) > 0 {
			dir = args[0]
		}
		w, err := openWorkTree(cmd.Context(), dir)
		if err != nil {
			return err
		}
		defer w.close()
		return do(cmd, w)
	}
}

// completeDirectory makes shells complete directories.
func completeDirectory(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// openWorkTree finds the fleet repo that dir belongs to.
func openWorkTree(ctx context.Context, dir string) (*workTree, error) {
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
	w := &workTree{root: root, below: below, top: top, blobs: blobReader{dir: root}}
	if inside, err := gitLine(ctx, root, "rev-parse", "--is-inside-work-tree"); err == nil && inside == "true" {
		_, err := gitLine(ctx, filepath.Dir(root), "check-ignore", "--quiet", "./"+filepath.Base(root))
		w.git = err != nil // it exits with 0 for what is ignored
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

func (w *workTree) close() {
	w.blobs.close()
	_ = w.top.Close()
}

// files lists what "git add --all" would put into the next commit: what is
// tracked or new, as it lies on disk, and not what is ignored. Outside of Git it
// is every file.
func (w *workTree) files(ctx context.Context) (*fileTree, error) {
	names, err := w.list(ctx)
	if err != nil {
		return nil, err
	}
	t := newTree()
	seen := map[string]bool{}
	for _, name := range names {
		name = strings.TrimSuffix(name, "/") // a repository of its own
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		info, err := w.top.Lstat(filepath.FromSlash(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // deleted
		case err != nil:
			return nil, err
		case info.IsDir():
			if _, err := w.top.Lstat(filepath.Join(filepath.FromSlash(name), ".git")); err != nil {
				continue // was a file once
			}
		}
		err = t.add(name, info.Mode().Type(), info.Size(), func() ([]byte, error) { return w.read(name) })
		if err != nil {
			return nil, err
		}
	}
	return t.finish(), nil
}

// read reads a file of the work tree, and no other.
func (w *workTree) read(name string) ([]byte, error) {
	f, err := w.top.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err == nil && len(b) > mostBytes {
		err = errors.New("grew while it was read")
	}
	return b, err
}

func (w *workTree) list(ctx context.Context) (names []string, err error) {
	if w.git {
		out, err := gitOutput(ctx, w.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", w.root, err)
		}
		return strings.Split(string(out), "\x00"), nil
	}
	err = fs.WalkDir(w.top.FS(), ".", func(name string, e fs.DirEntry, err error) error {
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
		return nil, fmt.Errorf("list %s: %w", w.root, err)
	}
	return names, nil
}

// at returns the files of a commit that a tenant pins an application to. Like the
// reconciler it takes commits that the current one descends from, and no others.
func (w *workTree) at(ctx context.Context) func(commit string) (evaluate.Files, error) {
	return w.atOf(ctx, "HEAD")
}

// atOf is at where tip is the current commit.
func (w *workTree) atOf(ctx context.Context, tip string) func(commit string) (evaluate.Files, error) {
	var mu sync.Mutex
	known := map[string]evaluate.Files{}
	return func(commit string) (evaluate.Files, error) {
		mu.Lock()
		defer mu.Unlock()
		if files, ok := known[commit]; ok {
			return files, nil
		}
		if !w.git {
			return nil, errors.New("the directory is in no Git repository, so there are no commits")
		}
		if err := w.reachesFrom(ctx, tip, commit); err != nil {
			return nil, err
		}
		files, err := w.commit(ctx, commit)
		if err != nil {
			return nil, err
		}
		known[commit] = files
		return files, nil
	}
}

// reaches says why a commit is not one that HEAD descends from, nil if it is.
func (w *workTree) reaches(ctx context.Context, commit string) error {
	return w.reachesFrom(ctx, "HEAD", commit)
}

func (w *workTree) reachesFrom(ctx context.Context, tip, commit string) error {
	if _, err := gitLine(ctx, w.root, "cat-file", "-e", commit+"^{commit}"); err != nil {
		if shallow, err := gitLine(ctx, w.root, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
			return fmt.Errorf("commit %s is not in this clone, which is shallow; \"git fetch --unshallow\" completes it", commit)
		}
		return fmt.Errorf("commit %s is not in the branch", commit)
	}
	if _, err := gitLine(ctx, w.root, "merge-base", "--is-ancestor", commit, tip); err != nil {
		return fmt.Errorf("commit %s is not in the branch", commit)
	}
	return nil
}

// commit lists the part of a commit that lies where the fleet repo lies now.
func (w *workTree) commit(ctx context.Context, commit string) (*fileTree, error) {
	out, err := gitOutput(ctx, w.root, "ls-tree", "-r", "-z", "-l", commit)
	if err != nil {
		return nil, fmt.Errorf("list commit %s: %w", commit, err)
	}
	t := newTree()
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		field := strings.Fields(about) // mode, type, object, size
		if !ok || len(field) != 4 {
			continue
		}
		mode := fs.ModeIrregular
		if strings.HasPrefix(field[0], "100") {
			mode = 0
		}
		size, _ := strconv.ParseInt(field[3], 10, 64) // "-" for a submodule
		err := t.add(name, mode, size, func() ([]byte, error) { return w.blobs.read(ctx, field[2]) })
		if err != nil {
			return nil, err
		}
	}
	return t.finish(), nil
}
