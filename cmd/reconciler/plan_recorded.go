package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
)

// recorded is what the status branch said when it was last fetched.
type recorded struct {
	commit string // of the status branch, "" if there is none
	ledger model.Ledger
}

// statusLimits bound the tree of a status branch.
var statusLimits = git.FileLimits{Size: 4 << 20, Count: 400_000, Depth: 8}

// recordedIn reads the status branch as this clone has it: as fetched from the origin,
// or the branch itself where the reconciler writes here.
func recordedIn(ctx context.Context, w *clone.Tree, branch string) (recorded, error) {
	if err := git.CheckRefName(branch); err != nil {
		return recorded{}, fmt.Errorf("--status-branch: %w", err)
	}
	if !w.Git {
		return recorded{}, nil
	}
	commit, err := w.BranchTip(ctx, branch)
	if commit == "" || err != nil {
		return recorded{}, err
	}
	repository, err := w.GitDir(ctx)
	if err != nil {
		return recorded{}, err
	}
	dir, err := os.MkdirTemp("", "reconciler-")
	if err != nil {
		return recorded{}, err
	}
	defer os.RemoveAll(dir)
	store, err := git.OpenStore(filepath.Join(dir, "status"))
	if err != nil {
		return recorded{}, err
	}
	defer store.Close()
	remote, err := git.NewRemote(repository, git.Auth{}, git.Limits{})
	if err != nil {
		return recorded{}, err
	}
	tip, _ := git.ParseHash(commit)
	if err := remote.Fetch(ctx, store, tip, nil, 1); err != nil {
		return recorded{}, fmt.Errorf("read branch %s: %w", branch, err)
	}
	ledger, err := ledgerAt(store, tip)
	if err != nil {
		return recorded{}, fmt.Errorf("read branch %s: %w", branch, err)
	}
	return recorded{commit, ledger}, nil
}

// ledgerAt returns what a commit of a status branch says.
func ledgerAt(store *git.Store, commit git.Hash) (model.Ledger, error) {
	files, err := statusFiles(store, commit)
	if err != nil {
		return model.Ledger{}, err
	}
	return status.Read(files)
}

// statusFiles returns the files of a commit of a status branch.
func statusFiles(store *git.Store, commit git.Hash) (*git.Files, error) {
	c, err := store.Commit(commit)
	if err != nil {
		return nil, err
	}
	return store.Files(c.TreeHash, statusLimits)
}
