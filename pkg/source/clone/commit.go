package clone

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// At returns a function that opens the commits that tenants pin applications to. Like the reconciler it takes only commits
// that tip descends from.
func (w *Tree) At(ctx context.Context, tip string) func(commit string) (model.Files, error) {
	var mu sync.Mutex
	known := map[string]model.Files{}
	return func(commit string) (model.Files, error) {
		mu.Lock()
		defer mu.Unlock()
		if files, ok := known[commit]; ok {
			return files, nil
		}
		if !w.Git {
			return nil, errors.New("the directory is in no Git repository, so there are no commits")
		}
		if err := w.Reaches(ctx, tip, commit); err != nil {
			return nil, err
		}
		files, err := w.Commit(ctx, commit)
		if err != nil {
			return nil, err
		}
		known[commit] = files
		return files, nil
	}
}

// Reaches returns nil if tip descends from a commit, else why not.
func (w *Tree) Reaches(ctx context.Context, tip, commit string) error {
	if _, err := Line(ctx, w.Root, "merge-base", "--is-ancestor", commit, tip); err == nil {
		return nil
	}
	if _, err := Line(ctx, w.Root, "cat-file", "-e", commit+"^{commit}"); err != nil && w.shallow(ctx) {
		return fmt.Errorf("commit %s is not in this clone, which is shallow; \"git fetch --unshallow\" completes it", commit)
	}
	return fmt.Errorf("commit %s is not in the branch", commit)
}

// shallow reports whether the clone lacks commits of its past.
func (w *Tree) shallow(ctx context.Context) bool {
	answer, err := Line(ctx, w.Root, "rev-parse", "--is-shallow-repository")
	return err == nil && answer == "true"
}

// Commit returns the files that a commit has in the directory of the fleet repo.
func (w *Tree) Commit(ctx context.Context, commit string) (*Files, error) {
	tree, err := Line(ctx, w.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+":./")
	if err != nil && w.Reaches(ctx, commit, commit) == nil {
		return w.files(w.store.AddTree(nil)) // the directory did not exist yet
	}
	h, ok := git.ParseHash(tree)
	if err == nil && !ok {
		err = fmt.Errorf("%q is no hash that the reconciler reads", tree)
	}
	if err != nil {
		return nil, fmt.Errorf("list commit %s: %w", commit, err)
	}
	return w.files(h)
}
