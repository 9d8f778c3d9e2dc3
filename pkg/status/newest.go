package status

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
)

// Newest describes the newest commit of the branch.
type Newest struct {
	Commit    string    `json:"commit"`
	Time      time.Time `json:"time"`
	Format    Format    `json:"format"`
	WrittenBy string    `json:"writtenBy,omitempty"` // "reconciler v0.9.0 (commit 0123456789ab)"; "": a program before v0.1.0
}

// Newest asks the remote for the newest commit. It reads no record, so it answers for a newer format, too. A
// branch that does not exist has no newest commit: the zero value.
func (b *Branch) Newest(ctx context.Context) (Newest, error) {
	var n Newest
	err := retry(ctx, func() (err error) {
		n, err = b.newest(ctx)
		return err
	})
	if err != nil {
		return Newest{}, fmt.Errorf("read the newest commit of the status branch: %w", err)
	}
	return n, nil
}

func (b *Branch) newest(ctx context.Context) (Newest, error) {
	refs, err := b.remote.Refs(ctx)
	if err != nil {
		return Newest{}, err
	}
	tip := refs[git.Branch(b.o.Branch)].Commit
	if tip == git.ZeroHash {
		return Newest{}, nil
	}
	store := git.NewMemoryStore()
	if err := b.remote.Fetch(ctx, store, tip, nil, 1); err != nil {
		return Newest{}, err
	}
	p, err := readPast(store, tip)
	if err != nil {
		return Newest{}, err
	}
	r, err := readerAt(store, p.tree, p.message, limits)
	if unknown := (*FormatError)(nil); err != nil && !errors.As(err, &unknown) {
		return Newest{}, err
	}
	return Newest{Commit: tip.String(), Time: p.time, Format: r.format, WrittenBy: trailer(p.message, writtenBy)}, nil
}
