package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// MirrorOptions say where a mirror is.
type MirrorOptions struct {
	URL    string
	Dir    string // a cache of the branch with its history
	Auth   git.Auth
	Limits git.Limits

	// Notice gets a sentence when the mirror cannot follow, and once more when it does
	// again. It may be nil.
	Notice func(sentence string)
}

// Mirror brings the branch to the branch of the same name in another repository: where
// people read, while the ledger is near the reconciler. Nobody waits for it, and
// nothing is decided on it. It is safe for concurrent use.
type Mirror struct {
	o      MirrorOptions
	branch *Branch
	far    *git.Remote
	store  *git.Store

	behind atomic.Pointer[time.Time] // since when the mirror lacks something; nil: it has all

	holds  string // the commit that the mirror holds, as far as is known
	next   time.Time
	wait   time.Duration
	failed string // why it could not follow
}

// A Git host wants at most six pushes a minute to a repository.
const (
	mirrorEvery   = 10 * time.Second
	mirrorMaxWait = 5 * time.Minute
	mirrorPortion = 64 << 20 // bytes of objects in one push
)

// OpenMirror prepares to mirror a branch. It does not connect yet.
func OpenMirror(branch *Branch, o MirrorOptions) (*Mirror, error) {
	far, err := git.NewRemote(o.URL, o.Auth, o.Limits)
	if err != nil {
		return nil, fmt.Errorf("open mirror of the status branch: %w", err)
	}
	if far.String() == branch.remote.String() {
		return nil, fmt.Errorf("open mirror of the status branch: %s is where the branch is; name another repository", far)
	}
	store, err := git.OpenStore(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open mirror of the status branch: %w", err)
	}
	return &Mirror{o: o, branch: branch, far: far, store: store}, nil
}

// Close releases the cache for another process.
func (m *Mirror) Close() error { return m.store.Close() }

// Run follows the branch until ctx ends.
func (m *Mirror) Run(ctx context.Context) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks.C:
			m.turn(ctx, now)
		}
	}
}

// Behind returns for how long the mirror has lacked something, at the time now.
func (m *Mirror) Behind(now time.Time) time.Duration {
	since := m.behind.Load()
	if since == nil {
		return 0
	}
	return max(0, now.Sub(*since))
}

// turn pushes what the branch has if it is time to.
func (m *Mirror) turn(ctx context.Context, now time.Time) {
	tip := m.branch.Tip()
	if tip == "" || tip == m.holds {
		return // this process has not read it, or nothing is new
	}
	if m.Behind(now) == 0 {
		m.behind.Store(&now)
	}
	if now.Before(m.next) {
		return
	}
	m.next = now.Add(mirrorEvery)
	holds, err := m.follow(ctx, tip)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		m.wait = min(max(mirrorEvery, 2*m.wait), mirrorMaxWait)
		m.next = now.Add(m.wait)
		m.notice(fmt.Sprintf("the mirror of the status branch does not follow: %v; nothing waits for it", err))
	default:
		m.wait, m.holds = 0, holds
		if holds == tip {
			m.behind.Store(nil)
			m.notice("")
		}
	}
}

// notice tells what is new about the mirror; "" is that it follows.
func (m *Mirror) notice(failed string) {
	if failed == m.failed {
		return
	}
	m.failed = failed
	if m.o.Notice != nil {
		m.o.Notice(cmp.Or(failed, "the mirror of the status branch follows again"))
	}
}

// follow makes the mirror hold a commit of the branch, or as much of the way there as
// one push may bring. It returns the commit that the mirror holds then.
func (m *Mirror) follow(ctx context.Context, commit string) (holds string, err error) {
	tip, _ := git.ParseHash(commit)
	ref := git.Branch(m.branch.o.Branch)
	refs, err := m.far.Refs(ctx)
	if err != nil {
		return "", err
	}
	there := refs[ref].Commit
	if there == tip {
		return commit, nil
	}
	if err := m.fetch(ctx, tip); err != nil {
		return "", err
	}
	commits, follows, err := m.store.Since(there, tip)
	portion := int64(mirrorPortion)
	if err == nil && !follows {
		portion = math.MaxInt64 // part of the way would be a step back
		commits, err = m.replacement(ctx, there, tip)
	}
	if err != nil {
		return "", err
	}
	objects, to, err := m.store.Added(commits, portion)
	if err != nil {
		return "", err
	}
	if err := m.far.Push(ctx, ref, there, to, objects); err != nil {
		return "", err
	}
	return to.String(), nil
}

// fetch brings a commit of the branch with its history into the cache.
func (m *Mirror) fetch(ctx context.Context, tip git.Hash) error {
	if m.store.Damaged() {
		if err := m.store.Reset(); err != nil {
			return err
		}
	}
	return complete(ctx, m.branch.remote, m.store, tip)
}

// replacement returns all commits of the branch if they may take the place of those
// that the mirror has and that do not lead there: after the branch was compacted. A
// mirror that holds another ledger, or a later save, may be the last copy of it.
func (m *Mirror) replacement(ctx context.Context, there, tip git.Hash) ([]git.Hash, error) {
	found, err := m.identity(ctx, there)
	if err != nil {
		return nil, err
	}
	ours, err := identityAt(m.store, tip)
	switch {
	case err != nil:
		return nil, err
	case found.ID == "" || !found.Same(ours):
		return nil, fmt.Errorf("branch %s of %s holds something else; delete it there, or name another repository", m.branch.o.Branch, m.far)
	case found.Sequence > ours.Sequence:
		return nil, fmt.Errorf("it is ahead: %s holds save %d of the ledger, and the branch save %d; bring the branch back from it, or delete its branch %s",
			m.far, found.Sequence, ours.Sequence, m.branch.o.Branch)
	}
	commits, _, err := m.store.Since(git.ZeroHash, tip)
	return commits, err
}

// identity returns which ledger a commit of the mirror holds.
func (m *Mirror) identity(ctx context.Context, commit git.Hash) (model.LedgerIdentity, error) {
	store := git.NewMemoryStore()
	if err := m.far.Fetch(ctx, store, commit, nil, 1); err != nil {
		return model.LedgerIdentity{}, err
	}
	identity, err := identityAt(store, commit)
	if errors.Is(err, git.ErrMissing) {
		return identity, err
	}
	return identity, nil // what cannot be read is something else
}

// identityAt returns which ledger a commit holds.
func identityAt(store *git.Store, commit git.Hash) (identity model.LedgerIdentity, err error) {
	c, err := store.Commit(commit)
	if err != nil {
		return identity, err
	}
	r, err := readerAt(store, c.TreeHash, c.Message, limits)
	if err != nil {
		return identity, err
	}
	return r.readIdentity()
}
