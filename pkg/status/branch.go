// Package status keeps the ledger on a branch of its own: what D-AROS has
// decided and what became of it, for people to read and for the next pass to
// go on from. Saving is one compare-and-swap of the ref.
//
// It decides nothing about applications, never forces a push, never merges,
// and never commits what is already there: the branch records changes, not
// heartbeats. Values of secrets do not leave the process.
package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// ErrMoved says that the branch is not where the caller believes it to be:
// somebody else wrote to it. Load, compute again, and never merge.
var ErrMoved = errors.New("the status branch has moved")

// Options say where the branch is.
type Options struct {
	URL    string
	Branch string // default status
	Dir    string // for the history, when it is asked for, and for Keep; a cache
	Auth   git.Auth
	Limits git.Limits
	Author Author

	// WrittenBy names the program in the trailer Written-By of the commits: "reconciler v0.9.0 (commit 0123456789ab)".
	WrittenBy string

	// Now dates the commits; default time.Now.
	Now func() time.Time

	// Notice hears once, in a sentence, that the branch has a newer minor format than
	// this program. Nil is fine.
	Notice func(sentence string)

	// Keep writes what the branch says to Dir as well, so that the first Load of a
	// process that starts again fetches nothing if nobody else has written meanwhile.
	Keep bool

	// Recheck is how long Load may trust that the branch is where it was last
	// seen. Zero asks the remote at every Load. Commit is safe either way.
	Recheck time.Duration
}

// Author is who commits.
type Author struct{ Name, Email string }

// Branch is the status branch, with what it says held in memory. It is safe
// for concurrent use. Ledgers that go in and come out are never changed.
type Branch struct {
	remote  *git.Remote
	name    string
	dir     string
	author  Author
	program string // for Written-By
	recheck time.Duration
	now     func() time.Time

	mu      sync.Mutex
	kept    *git.ObjectLog // nil: nothing is kept
	state   *state         // nil until loaded, or when the branch is known to have moved
	pending *state         // pushed, but the answer was lost
	asked   time.Time
	store   *git.Store // full history, opened when first asked for
	notice  func(string)
}

// Open prepares to use the branch. It does not connect yet. The branch need
// not exist.
func Open(_ context.Context, o Options) (*Branch, error) {
	if o.Branch == "" {
		o.Branch = "status"
	}
	if err := git.CheckRefName(o.Branch); err != nil {
		return nil, fmt.Errorf("open status branch: %w", err)
	}
	remote, err := git.NewRemote(o.URL, o.Auth, o.Limits)
	if err != nil {
		return nil, fmt.Errorf("open status branch: %w", err)
	}
	if o.Author.Name == "" {
		o.Author.Name = "D-AROS"
	}
	if o.Author.Email == "" {
		o.Author.Email = "reconciler@d-aros.dev"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open status branch: %w", err)
	}
	b := &Branch{remote: remote, name: o.Branch, dir: o.Dir, author: o.Author, program: o.WrittenBy, recheck: o.Recheck, now: o.Now, notice: o.Notice}
	if o.Keep {
		if b.kept, err = git.OpenObjectLog(filepath.Join(o.Dir, "kept")); err != nil {
			return nil, fmt.Errorf("open status branch: %w", err)
		}
	}
	return b, nil
}

// Close gives what is on disk free for another process.
func (b *Branch) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var err error
	if b.store != nil {
		err = b.store.Close()
		b.store = nil
	}
	if b.kept != nil {
		err = errors.Join(err, b.kept.Close())
		b.kept = nil
	}
	return err
}

// Load returns what the branch says. A branch that does not exist says
// nothing: the empty ledger. One that disappears while we run loses nothing:
// Load goes on returning what it said, and the next Commit writes it again.
func (b *Branch) Load(ctx context.Context) (model.Ledger, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != nil && b.pending == nil && b.recheck > 0 && time.Since(b.asked) < b.recheck {
		return b.state.ledger, nil
	}
	var err error
	for range attempts {
		if err = b.load(ctx); err == nil {
			b.pending, b.asked = nil, time.Now()
			b.noticeFormat()
			return b.state.ledger, nil
		}
		// The branch may have moved on between looking and fetching.
		if fetch := (*git.FetchError)(nil); !errors.As(err, &fetch) || ctx.Err() != nil {
			break
		}
	}
	if unknown := (*FormatError)(nil); errors.As(err, &unknown) {
		return model.Ledger{}, unknown
	}
	return model.Ledger{}, fmt.Errorf("load status branch: %w", err)
}

// noticeFormat tells once that the branch has a newer minor format.
func (b *Branch) noticeFormat() {
	if b.notice != nil && b.state.format.newer(Current) {
		b.notice(fmt.Sprintf("status branch has format %s, this program knows %s: it keeps the fields that it does not know; upgrade it (docs/upgrade.md)",
			b.state.format, Current))
		b.notice = nil
	}
}

// attempts bounds how often a load is tried while others write.
const attempts = 5

// Tip returns the commit that Load read or Commit wrote last, "" if there is none.
func (b *Branch) Tip() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == nil || b.state.head == git.ZeroHash {
		return ""
	}
	return b.state.head.String()
}

func (b *Branch) load(ctx context.Context) error {
	refs, err := b.remote.Refs(ctx)
	if err != nil {
		return err
	}
	tip := refs[git.Branch(b.name)].Commit
	switch {
	case b.pending != nil && tip == b.pending.head:
		b.state = b.pending
	case b.state != nil && tip == b.state.head:
	case tip == git.ZeroHash && b.state != nil:
		b.state = b.state.homeless()
	case tip == git.ZeroHash:
		b.state = newState()
		b.keep(git.NewMemoryStore(), tip)
	default:
		s, err := b.fetch(ctx, tip)
		if err != nil {
			return err
		}
		b.state = s
	}
	return nil
}

// fetch reads the tip, and only the tip, in memory: the history is of no use to
// the writer and grows without bound.
func (b *Branch) fetch(ctx context.Context, tip git.Hash) (*state, error) {
	if s := b.recall(tip); s != nil {
		return s, nil
	}
	store := git.NewMemoryStore()
	if err := b.remote.Fetch(ctx, store, tip, nil, 1); err != nil {
		return nil, err
	}
	b.keep(store, tip)
	c, err := store.Commit(tip)
	if err != nil {
		return nil, err
	}
	if b.state != nil && c.TreeHash == b.state.tree.hash {
		s := *b.state // only the history is another: it was compacted
		s.head = tip
		return &s, nil
	}
	s, err := readState(store, tip)
	if err != nil {
		return nil, err
	}
	// Somebody else wrote. What people read may be theirs, so the next Commit
	// writes every page again; pages that are right cost nothing.
	s.stale = b.state != nil
	return s, nil
}

// Commit saves next, which was computed from previous. It returns what the branch
// says then, as Load would, and whether there was anything to save. When the error is
// nil the remote has it: only then act on it. ErrMoved says that somebody else wrote;
// after any other error the old ledger is still what counts, or the new one if only
// the answer was lost: the next Load tells.
//
// A branch in an older major format is migrated first, by a commit of its own in
// the same push.
func (b *Branch) Commit(ctx context.Context, previous, next model.Ledger) (saved model.Ledger, changed bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if changed, err = b.save(ctx, previous, next); errors.Is(err, ErrMoved) {
		return model.Ledger{}, false, ErrMoved
	} else if err != nil {
		return model.Ledger{}, false, fmt.Errorf("save status: %w", err)
	}
	return b.state.ledger, changed, nil
}

func (b *Branch) save(ctx context.Context, previous, next model.Ledger) (changed bool, err error) {
	if b.pending != nil {
		if err := b.settle(ctx); err != nil {
			return false, err
		}
	}
	if b.state == nil || previous.Revision != b.state.ledger.Revision {
		return false, ErrMoved
	}
	objects, base := git.NewObjects(), b.state
	next.Identity = base.following(next.Identity)
	if base.format.Major < Current.Major {
		if base, err = b.migrated(objects, base, Current, next.Identity); err != nil {
			return false, err
		}
	}
	plan, err := base.plan(&next)
	if err != nil {
		return false, err
	}
	saved := base
	if plan == nil {
		same := *base
		same.given = givenBy(&next)
		saved = &same
	} else {
		saved = plan.apply(objects)
		if saved.tree.hash != base.tree.hash || base.head == git.ZeroHash {
			saved.head = b.commit(objects, saved, plan.message(b.program))
		}
	}
	if saved.head == b.state.head {
		b.state = saved // the branch says it already
		return false, nil
	}
	return b.push(ctx, saved, objects)
}

// push moves the branch from where it was last seen to saved.
func (b *Branch) push(ctx context.Context, saved *state, objects *git.Objects) (changed bool, err error) {
	b.append(objects, saved.head)
	err = b.remote.Push(ctx, git.Branch(b.name), b.state.head, saved.head, objects)
	switch {
	case err == nil:
		b.state, b.asked = saved, time.Now()
		return true, nil
	case errors.Is(err, git.ErrRefMoved):
		return false, b.moved()
	}
	// The push may have gone through although the answer did not.
	b.pending = saved
	if settled := b.settle(ctx); settled == nil && b.state == saved {
		return true, nil
	} else if errors.Is(settled, ErrMoved) {
		return false, ErrMoved
	}
	return false, err
}

// settle finds out what became of a push without an answer. After nil, state
// is what the branch says.
func (b *Branch) settle(ctx context.Context) error {
	refs, err := b.remote.Refs(ctx)
	if err != nil {
		return err
	}
	switch refs[git.Branch(b.name)].Commit {
	case b.pending.head:
		b.state = b.pending
	case b.state.head:
	default:
		return b.moved()
	}
	b.pending, b.asked = nil, time.Now()
	return nil
}

// moved makes the next Load ask the remote. What the branch said is kept, for
// the case that it has been deleted.
func (b *Branch) moved() error {
	b.asked = time.Time{}
	return ErrMoved
}

// commit adds the commit object that follows s.head and returns its name.
func (b *Branch) commit(objects *git.Objects, s *state, message string) git.Hash {
	return objects.AddCommit(git.NewCommit{
		Tree:    s.tree.hash,
		Parent:  s.head,
		Name:    b.author.Name,
		Email:   b.author.Email,
		Time:    b.now(),
		Message: message,
	})
}
