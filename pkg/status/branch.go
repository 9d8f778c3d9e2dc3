// Package status keeps the ledger on a branch of its own: what D-AROS has
// decided and what has happened since, for people to read and for the next pass to
// go on from. Saving is one compare-and-swap of the ref.
//
// It decides nothing about applications, never forces a push, never merges,
// and never commits what is already there: the branch records changes, not
// heartbeats. Values of secrets do not leave the process.
package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// ErrMoved reports that somebody else wrote to the branch since the caller read it.
// Load and compute again; never merge.
var ErrMoved = errors.New("the status branch has moved")

// Options configure access to the branch.
type Options struct {
	URL    string
	Branch string // default status
	Dir    string // a cache, of the history once it is asked for, and for Keep
	Auth   git.Auth
	Limits git.Limits
	Memory int64 // bytes that a load may unpack; default 1 GiB
	Author Author

	// Signing makes the branch believe only saves that trusted keys have signed. nil: it
	// believes what can be read, and signs nothing.
	Signing *Signing

	// WrittenBy names the program in the trailer Written-By of the commits: "reconciler v0.9.0 (commit 0123456789ab)".
	WrittenBy string

	// Links are where pages link to if the platform does not say it.
	Links model.Links

	// Now dates the commits; default time.Now.
	Now func() time.Time

	// Notice is called once, with a sentence, if the branch has a newer minor format
	// than this program. It may be nil.
	Notice func(sentence string)

	// Files is how many files the branch may have, to be read and to be written. Default
	// DefaultFiles, at most MaxFiles.
	Files int

	// Keep keeps a copy in Dir of what was accepted or saved. The first Load of the next
	// process then fetches nothing if nobody else has written meanwhile, and a lost
	// branch can be brought back from it.
	Keep bool

	// Nodes returns the plan for the nodes of each pool, by its name, that follows from a
	// ledger. It is written where it changes. nil: the plans stay as they are.
	Nodes func(*model.Ledger) map[string][]byte

	// Recheck is how long Load may trust that the branch is where it was last
	// seen. With Keep, it trusts only what was accepted or saved. Zero asks the
	// remote at every Load. Commit is safe either way.
	Recheck time.Duration
}

// Author is the author and committer of the commits.
type Author struct{ Name, Email string }

// Branch is the status branch, with its ledger in memory. It is safe for concurrent
// use. Ledgers that go in and come out are never changed, so nobody who reads waits for
// another's fetch.
type Branch struct {
	o      Options
	remote *git.Remote

	archive *archive
	moments moments

	mu   sync.Mutex // held, also while the remote is asked, by who changes what is known
	kept *git.Copy  // nil: nothing is kept
	known
	shown atomic.Pointer[known] // what was known when mu was last released
}

// known is what a process knows of the branch.
type known struct {
	copied  keptSave  // what is kept
	state   *state    // nil until loaded, or when the branch is known to have moved
	taken   bool      // a save, or what the caller accepted, was in state: it is the ledger
	pending *state    // pushed, but the answer was lost
	asked   time.Time // where the branch is; zero: long ago, or what it held is to be accepted yet
	refused int       // files of the tree that was refused last; 0: none was

	arrived  arrived         // the tip that was fetched last
	foreign  []ForeignCommit // the latest tips that were not believed
	foreigns int             // how many there were
}

// work keeps others from changing what is known until done is called, which shows the
// outcome to those who only read. They never wait.
func (b *Branch) work() (done func()) {
	b.mu.Lock()
	return func() {
		now := b.known
		b.shown.Store(&now)
		b.mu.Unlock()
	}
}

// Open prepares to use the branch. It does not connect yet. The branch need
// not exist.
func Open(_ context.Context, o Options) (*Branch, error) {
	o.Branch = cmp.Or(o.Branch, "status")
	if err := git.CheckRefName(o.Branch); err != nil {
		return nil, fmt.Errorf("open status branch: %w", err)
	}
	if o.Memory > 0 {
		o.Limits.Memory = o.Memory
	}
	remote, err := git.NewRemote(o.URL, o.Auth, o.Limits)
	if err != nil {
		return nil, fmt.Errorf("open status branch: %w", err)
	}
	o.Author.Name = cmp.Or(o.Author.Name, "D-AROS")
	o.Author.Email = cmp.Or(o.Author.Email, "reconciler@d-aros.dev")
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open status branch: %w", err)
	}
	history := archive{remote: remote, ref: git.Branch(o.Branch), dir: filepath.Join(o.Dir, "history"), turn: make(chan struct{}, 1)}
	b := &Branch{o: o, remote: remote, archive: &history}
	if o.Keep {
		if b.kept, err = git.OpenCopy(filepath.Join(o.Dir, keptDir), o.Limits); err != nil {
			return nil, fmt.Errorf("open status branch: %w", err)
		}
		b.copied = b.readKept(o.Dir)
	}
	b.work()()
	return b, nil
}

// Close releases the files on disk for another process.
func (b *Branch) Close() error {
	defer b.work()()
	err := errors.Join(b.archive.close(), b.kept.Close())
	b.kept = nil
	return err
}

// Tip returns the commit that Load read or Commit wrote last, "" if there is none.
func (b *Branch) Tip() string {
	s := b.shown.Load().state
	if s == nil || s.head == git.ZeroHash {
		return ""
	}
	return s.head.String()
}
