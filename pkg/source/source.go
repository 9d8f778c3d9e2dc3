// Package source reads the fleet repo: it follows one branch, or is pinned to a
// revision, and returns the files of a commit as an immutable file system, and the
// commits that lead to it as values. access.Judge decides whether they are accepted.
//
// It never writes to the remote, keeps no work tree, and never returns an old commit
// as a new one: either the snapshot is the current state of the remote, complete and
// verified, or there is an error and the caller keeps its last snapshot.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/text"
)

// Files is the tree of one commit; see git.Files.
type Files = git.Files

// Auth says with which credentials a remote is read; see git.Auth.
type Auth = git.Auth

// FileLimits bound what a commit may hold; see git.FileLimits.
type FileLimits = git.FileLimits

// IsCommit reports whether a name is the whole hash of a commit.
func IsCommit(name string) bool {
	_, ok := git.ParseHash(name)
	return ok
}

// Options configure access to the fleet repo and bound its cost.
type Options struct {
	URL      string // https, ssh, or a repository on this machine
	Branch   string // that is followed; default main
	Revision string // branch, tag or commit that the fleet is pinned to; "": follow Branch
	Dir      string // where the object store lies; it is a cache
	Auth     Auth
	Limits   git.Limits // of a conversation with the remote
	Files    FileLimits // of a tree
	Line     LineLimits // of the commits between two snapshots
}

// Repository is the fleet repo as seen from here. It is safe for concurrent use.
type Repository struct {
	remote   *git.Remote
	store    *git.Store
	branch   string
	revision string
	files    git.FileLimits
	limits   LineLimits

	mu      sync.Mutex
	last    Snapshot // zero before the first
	tip     git.Hash // what last was resolved from
	judged  string   // branch that statements have to name
	line    Line     // the last one
	origins origins  // the last ones
	refused int      // files of the tip that was refused last; 0: it was not
}

// Snapshot is the content of the fleet repo at one commit and at its ancestors. It
// never changes.
type Snapshot struct {
	Commit  string
	Time    time.Time // when it was committed
	Author  string
	Subject string
	Pinned  bool // the fleet is pinned to this very commit
	Files   *Files

	repo    *Repository
	history *history // of Commit
}

// Open prepares to read the fleet repo. It does not connect yet.
func Open(_ context.Context, o Options) (*Repository, error) {
	o.Branch = cmp.Or(o.Branch, "main")
	if err := git.CheckRefName(o.Branch); err != nil {
		return nil, fmt.Errorf("open fleet repo: %w", err)
	}
	if _, isCommit := git.ParseHash(o.Revision); !isCommit && o.Revision != "" {
		if err := git.CheckRefName(o.Revision); err != nil {
			return nil, fmt.Errorf("open fleet repo: %w", err)
		}
	}
	remote, err := git.NewRemote(o.URL, o.Auth, o.Limits)
	if err != nil {
		return nil, fmt.Errorf("open fleet repo: %w", err)
	}
	store, err := git.OpenStore(o.Dir)
	if err != nil {
		return nil, err
	}
	return &Repository{remote: remote, store: store, branch: o.Branch, judged: o.Branch, revision: o.Revision, files: o.Files, limits: o.Line.withDefaults()}, nil
}

// OpenClone opens a repository of the user by one of its directories. It takes no lock and writes nothing. The context
// bounds all reads.
func OpenClone(ctx context.Context, dir string) *Repository {
	return &Repository{store: git.OpenClone(ctx, dir), limits: LineLimits{}.withDefaults()}
}

// Close gives the object store free. Files of earlier snapshots cannot be read
// any more.
func (r *Repository) Close() error { return r.store.Close() }

// attempts bounds how often a snapshot is tried while the remote moves on or
// the store has to be rebuilt.
const attempts = 3

// Snapshot fetches the current state of the remote, as Line does.
func (r *Repository) Snapshot(ctx context.Context) (Snapshot, error) {
	line, err := r.Line(ctx, "", "")
	return line.Snapshot, err
}

// attempt reads from the remote and the store, again if the remote has moved on or the
// store has to be rebuilt meanwhile.
func (r *Repository) attempt(ctx context.Context, read func() error) (err error) {
	for range attempts {
		if err = read(); err == nil {
			return nil
		}
		fetch := (*git.FetchError)(nil)
		if errors.Is(err, git.ErrMissing) {
			r.tip = git.ZeroHash
			if err := r.store.Reset(); err != nil {
				return fmt.Errorf("source unavailable: %w", err)
			}
		} else if !errors.As(err, &fetch) || ctx.Err() != nil {
			break // it did not come from the ref moving between listing and fetching
		}
	}
	return fmt.Errorf("source unavailable: %w", err)
}

// snapshot fetches the current state of the remote.
func (r *Repository) snapshot(ctx context.Context) (Snapshot, error) {
	if r.remote == nil {
		return Snapshot{}, errors.New("a clone is read as it is")
	}
	refs, err := r.remote.Refs(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	ref, err := r.follow(refs)
	if err != nil {
		return Snapshot{}, err
	}
	if r.store.Damaged() {
		return Snapshot{}, git.ErrMissing
	}
	tip := ref.Commit
	if tip == r.tip {
		return r.last, nil
	}
	if !r.store.Has(tip) {
		if err := r.remote.Fetch(ctx, r.store, ref.Object, r.have(), 0); err != nil {
			return Snapshot{}, err
		}
	}
	h := r.last.history.advance(r.store, tip)
	commit := tip
	pinned, isPinned := git.ParseHash(r.revision)
	if isPinned {
		if err := h.reaches(pinned); err != nil {
			return Snapshot{}, err
		}
		commit = pinned
	}
	s, err := r.read(commit)
	if err = r.within(err); err != nil {
		return Snapshot{}, err
	}
	s.Pinned, s.history = isPinned, h
	if err := r.store.SetTip(tip); err != nil {
		return Snapshot{}, err
	}
	r.last, r.tip = s, tip
	return s, nil
}

// within adds to an error of too many files what to do, and remembers their number.
func (r *Repository) within(err error) error {
	r.refused = 0
	if many := (*git.TooManyFilesError)(nil); errors.As(err, &many) {
		r.refused = many.Files
		return fmt.Errorf("%w; raise --fleet-files, or remove files", err)
	}
	return err
}

// FilesUsed returns which part of the files that the tip may have it has.
func (r *Repository) FilesUsed() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := r.refused
	if files == 0 && r.last.Files != nil {
		files = r.last.Files.Count()
	}
	return float64(files) / float64(r.files.MaxCount())
}

// follow returns the ref that is followed. For a commit as revision that is the
// branch which must contain it.
func (r *Repository) follow(refs git.Refs) (git.Ref, error) {
	name := r.branch
	if _, isCommit := git.ParseHash(r.revision); r.revision != "" && !isCommit {
		name = r.revision
	}
	branch, isBranch := refs[git.Branch(name)]
	tag, isTag := refs[git.Tag(name)]
	switch {
	case isBranch && isTag && name == r.revision && branch != tag:
		return git.Ref{}, fmt.Errorf("%q names both a branch and a tag of %s", name, r.remote)
	case isBranch:
		r.judged = name
		return branch, nil
	case isTag && name == r.revision:
		r.judged = r.branch
		return tag, nil
	case name == r.revision:
		return git.Ref{}, fmt.Errorf("%s has no branch or tag %q", r.remote, name)
	}
	return git.Ref{}, fmt.Errorf("%s has no branch %q", r.remote, name)
}

// maxPacks bounds into how many packs the store falls apart before everything
// is fetched again in one piece.
const maxPacks = 200

// have names commits that the store holds with all their history.
func (r *Repository) have() []git.Hash {
	tip, ok := r.store.Tip()
	if !ok || r.store.Packs() > maxPacks {
		return nil
	}
	have := []git.Hash{tip}
	// A few ancestors more, so that the remote finds common ground after a
	// force-push.
	for range 64 {
		c, err := r.store.Commit(tip)
		if err != nil || len(c.ParentHashes) == 0 {
			break
		}
		tip = c.ParentHashes[0]
		have = append(have, tip)
	}
	return have
}

// maxText bounds what is repeated of a commit in one line, in bytes.
const maxText = 500

// read makes a snapshot of a commit that the store holds.
func (r *Repository) read(commit git.Hash) (Snapshot, error) {
	c, err := r.store.Commit(commit)
	if err != nil {
		return Snapshot{}, err
	}
	files, err := r.store.Files(c.TreeHash, r.files)
	if err != nil {
		return Snapshot{}, fmt.Errorf("commit %s: %w", commit, err)
	}
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return Snapshot{
		Commit:  commit.String(),
		Time:    c.Committer.When,
		Author:  text.Line(c.Author.Name+" <"+c.Author.Email+">", maxText),
		Subject: text.Line(subject, maxText),
		Files:   files,
		repo:    r,
		history: (*history)(nil).advance(r.store, commit),
	}, nil
}

// At opens another commit, which must be the commit of the snapshot or one of its
// ancestors: content that was never reviewed into the branch, or that a rewrite removed
// from it, is not served.
func (s Snapshot) At(commit string) (Snapshot, error) {
	if commit == s.Commit {
		return s, nil
	}
	h, ok := git.ParseHash(commit)
	if !ok {
		return Snapshot{}, fmt.Errorf("%q is not a commit; write all 40 digits", text.Clean(commit))
	}
	if s.repo == nil {
		return Snapshot{}, errors.New("source unavailable: no snapshot yet")
	}
	s.repo.mu.Lock()
	defer s.repo.mu.Unlock()
	if err := s.history.reaches(h); err != nil {
		return Snapshot{}, err
	}
	return s.repo.read(h)
}

// open opens any commit of the store.
func (r *Repository) open(commit string) (Snapshot, error) {
	h, ok := git.ParseHash(commit)
	if !ok {
		return Snapshot{}, fmt.Errorf("%q is not a commit", text.Clean(commit))
	}
	return r.read(h)
}
