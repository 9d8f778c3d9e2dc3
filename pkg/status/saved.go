package status

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Saved is one commit of the branch: what was saved then. It is valid until the Branch that it comes from is closed.
type Saved struct {
	Commit string
	store  *git.Store
	past   past
}

// Latest fetches the whole history of the branch and returns its newest commit. It reports false if the branch does not
// exist.
func (b *Branch) Latest(ctx context.Context) (Saved, bool, error) {
	store, tip, err := b.archive.fetch(ctx)
	if err != nil {
		return Saved{}, false, fmt.Errorf("read status history: %w", err)
	}
	return savedAt(store, tip)
}

// ReadClone returns what a commit says that a repository of the user holds, by one of its directories.
func ReadClone(ctx context.Context, dir, commit string) (model.Ledger, error) {
	store := git.OpenClone(ctx, dir)
	defer store.Close()
	h, _ := git.ParseHash(commit)
	s, _, err := savedAt(store, h)
	if err != nil {
		return model.Ledger{}, err
	}
	l, _, err := s.Read(ctx)
	return l, err
}

func savedAt(store *git.Store, commit git.Hash) (Saved, bool, error) {
	if commit == git.ZeroHash {
		return Saved{}, false, nil
	}
	p, err := readPast(store, commit)
	return Saved{commit.String(), store, p}, err == nil, err
}

// Before returns the commit before this one. It reports false where the history begins, or where a shallow one was cut.
func (s Saved) Before() (Saved, bool, error) {
	if s.past.parent == git.ZeroHash || !s.store.Has(s.past.parent) {
		return Saved{}, false, nil
	}
	return savedAt(s.store, s.past.parent)
}

// Read returns what the commit says, and in which format.
func (s Saved) Read(ctx context.Context) (model.Ledger, Format, error) {
	r, err := readerAt(s.store, s.past.tree, s.past.message, limits)
	if err != nil {
		return model.Ledger{}, Format{}, err
	}
	l, err := r.ledger()
	if err == nil {
		err = recall(ctx, s.store, s.past.hash, &l, nil)
	}
	return l, r.format, err
}

// Decision returns the last decision about an application, nil if there is none. It reads no other record.
func (s Saved) Decision(app model.AppID) (*model.Decision, error) {
	r, err := readerAt(s.store, s.past.tree, s.past.message, limits)
	if err != nil {
		return nil, err
	}
	dir, err := appDir(app)
	if err != nil {
		return nil, err
	}
	return r.decision(dir+"/"+decisionFile, app)
}
