package status

import (
	"context"
	"maps"
	"sync"

	"github.com/d-aros/d-aros/pkg/git"
)

// line are the commits of the branch from its tip back to the oldest that somebody has
// asked for. A store holds more: what was on the branch before it was rewritten.
type line struct {
	mu    sync.Mutex
	tip   git.Hash
	next  git.Hash // before the oldest one known; ZeroHash: all are known
	known map[git.Hash]bool
}

// has reports whether a commit is on the branch with a tip.
func (l *line) has(ctx context.Context, store *git.Store, tip, commit git.Hash) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.follow(ctx, store, tip); err != nil {
		return false, err
	}
	err := backwards(ctx, store, l.next, func(p past) (bool, error) {
		if l.known[commit] {
			return false, nil
		}
		l.known[p.hash], l.next = true, p.parent
		return true, nil
	})
	return l.known[commit], err
}

// maxFollow bounds how many new commits are looked at before the line begins anew.
const maxFollow = 10_000

// follow makes the line begin at a tip.
func (l *line) follow(ctx context.Context, store *git.Store, tip git.Hash) error {
	if tip == l.tip {
		return nil
	}
	added, joins := map[git.Hash]bool{}, false
	err := backwards(ctx, store, tip, func(p past) (bool, error) {
		added[p.hash] = true
		joins = p.parent != git.ZeroHash && p.parent == l.tip
		return !joins && len(added) < maxFollow, nil
	})
	if err != nil {
		return err
	}
	if joins {
		maps.Copy(l.known, added)
	} else {
		l.known, l.next = map[git.Hash]bool{}, tip
	}
	l.tip = tip
	return nil
}

// onBranch returns the history of the branch, and a commit that is on it. It asks the
// remote only for one that is not on the branch as it was read last.
func (b *Branch) onBranch(ctx context.Context, commit string) (*git.Store, git.Hash, error) {
	h, ok := git.ParseHash(commit)
	if !ok {
		return nil, h, &CommitError{commit, "is not named in full"}
	}
	has := func(store *git.Store, tip git.Hash) (bool, error) {
		defer b.archive.read()()
		return b.archive.line.has(ctx, store, tip, h)
	}
	if store, tip := b.archive.held(); store != nil && store.Has(h) {
		if on, err := has(store, tip); err != nil || on {
			return store, h, err
		}
	}
	store, tip, err := b.recentHistory(ctx)
	if err != nil {
		return nil, h, err
	}
	on, err := has(store, tip)
	if err == nil && !on {
		err = &CommitError{commit, "is not on the status branch"}
	}
	return store, h, err
}
