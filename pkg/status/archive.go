package status

import (
	"context"
	"sync"

	"github.com/d-aros/d-aros/pkg/git"
)

// archive has the whole history of the branch in a store on disk, for those who read the
// past. Who fetches keeps nobody from reading what is there: commits never change.
type archive struct {
	remote   *git.Remote
	ref, dir string
	turn     chan struct{} // holds a value while somebody fetches
	whole    sync.RWMutex  // held for writing while the store lacks objects, because it was damaged

	mu    sync.Mutex
	store *git.Store // nil until the history is first asked for
	tip   git.Hash   // that was fetched last

	line line
}

// fetch brings the store up to date, and returns it with the tip of the branch.
func (a *archive) fetch(ctx context.Context) (store *git.Store, tip git.Hash, err error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, tip, ctx.Err()
	}
	if store, err = a.open(); err != nil {
		return nil, tip, err
	}
	err = retry(ctx, func() error {
		tip, err = a.fetchInto(ctx, store)
		return err
	})
	if err != nil {
		return nil, tip, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tip = tip
	return store, tip, nil
}

// maxPacks bounds into how many packs the history falls apart, one for every fetch, before
// everything is fetched again in one piece.
const maxPacks = 200

func (a *archive) fetchInto(ctx context.Context, store *git.Store) (git.Hash, error) {
	refs, err := a.remote.Refs(ctx)
	if err != nil {
		return git.ZeroHash, err
	}
	tip := refs[a.ref].Commit
	if store.Damaged() {
		a.whole.Lock()
		defer a.whole.Unlock()
		if err := store.Reset(); err != nil {
			return git.ZeroHash, err
		}
	}
	if tip == git.ZeroHash {
		return tip, nil
	}
	return tip, complete(ctx, a.remote, store, tip)
}

// complete brings a commit with its history into a store on disk that is not damaged.
func complete(ctx context.Context, remote *git.Remote, store *git.Store, tip git.Hash) error {
	if store.Has(tip) {
		return nil
	}
	var have []git.Hash
	if h, ok := store.Tip(); ok && store.Packs() <= maxPacks {
		have = append(have, h)
	}
	if err := remote.Fetch(ctx, store, tip, have, 0); err != nil {
		return err
	}
	return store.SetTip(tip)
}

func (a *archive) open() (_ *git.Store, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.store == nil {
		a.store, err = git.OpenStore(a.dir)
	}
	return a.store, err
}

// held returns the store and the tip that was fetched last; nil if nothing was.
func (a *archive) held() (*git.Store, git.Hash) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.store, a.tip
}

// reaches returns the store if it has the tip of the branch already, nil otherwise.
func (a *archive) reaches(tip git.Hash) *git.Store {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.store == nil || !a.store.Has(tip) {
		return nil
	}
	a.tip = tip
	return a.store
}

// read lets the caller read the store until done is called. Only the repair of a damaged
// store waits for that.
func (a *archive) read() (done func()) {
	a.whole.RLock()
	return a.whole.RUnlock
}

// close releases the store for another process.
func (a *archive) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.store == nil {
		return nil
	}
	err := a.store.Close()
	a.store, a.tip = nil, git.ZeroHash
	return err
}

// recentHistory returns the history of the branch up to the tip, which is the one that
// was seen last if that is as recent as Load may take it to be.
func (b *Branch) recentHistory(ctx context.Context) (*git.Store, git.Hash, error) {
	if now := b.shown.Load(); now.recent(b.o.Recheck) && !now.state.foreign && now.state.head != git.ZeroHash {
		if store := b.archive.reaches(now.state.head); store != nil {
			return store, now.state.head, nil
		}
	}
	return b.archive.fetch(ctx)
}
