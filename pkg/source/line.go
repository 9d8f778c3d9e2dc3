package source

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
)

// Bounds on what is walked and compared.
const (
	maxLine    = 100_000 // commits of one line
	maxChanged = 200_000 // paths of one commit
)

// Commit is one commit of the branch: what it changes, and what its signer signed.
type Commit struct {
	Hash      string
	Time      time.Time // the committer's
	Payload   []byte    // what the signature is about
	Signature []byte    // armored; nil: there is none
	Paths     []string  // that differ from the first parent, both sides of a rename, sorted

	// Refused says why the commit cannot be judged at all, "" if it can. Then
	// Payload, Signature and Paths say nothing.
	Refused string
}

// ErrNotOnLine says that a commit is not among the first parents of another.
var ErrNotOnLine = errors.New("is not on the line of first parents")

// ErrGone says that a commit cannot be had from the repository.
var ErrGone = errors.New("is not in the repository")

// ErrTooFar says that a walk was given up.
var ErrTooFar = errors.New("has a longer history than is walked")

// Line returns the commits between a commit and the nearest of the given ones on
// its line of first parents: oldest first, with the commit itself and without
// where it stops. If none is on the line, the error is ErrNotOnLine; if nothing is
// known of the commit, ErrGone; if there are too many commits, ErrTooFar.
func (r *Repository) Line(commit string, stops ...string) (line []string, stop string, err error) {
	at, ok := git.ParseHash(commit)
	if !ok || !r.store.Has(at) {
		return nil, "", fmt.Errorf("commit %s: %w", git.Printable(commit), ErrGone)
	}
	for {
		if slices.Contains(stops, at.String()) {
			slices.Reverse(line)
			return line, at.String(), nil
		}
		if len(line) == maxLine {
			return nil, "", fmt.Errorf("commit %s: %w: %d commits", commit, ErrTooFar, maxLine)
		}
		c, err := r.store.Commit(at)
		if err != nil {
			return nil, "", err
		}
		line = append(line, at.String())
		if len(c.ParentHashes) == 0 {
			return nil, "", fmt.Errorf("what is looked for before commit %s: %w", commit, ErrNotOnLine)
		}
		at = c.ParentHashes[0]
	}
}

// Commit reads a commit of the branch.
func (r *Repository) Commit(commit string) (Commit, error) {
	h, ok := git.ParseHash(commit)
	if !ok {
		return Commit{}, fmt.Errorf("%q is not a commit", git.Printable(commit))
	}
	signed, err := r.store.Signed(h)
	if err != nil {
		return Commit{}, err
	}
	if signed.Refused != "" {
		return Commit{Hash: commit, Refused: signed.Refused}, nil
	}
	before := git.ZeroHash
	if len(signed.Parents) > 0 {
		parent, err := r.store.Commit(signed.Parents[0])
		if err != nil {
			return Commit{}, err
		}
		before = parent.TreeHash
	}
	paths, err := r.store.Changed(before, signed.Tree, maxChanged)
	if tooMany := (*git.TooManyError)(nil); errors.As(err, &tooMany) {
		return Commit{Hash: commit, Refused: tooMany.Error()}, nil
	}
	if err != nil {
		return Commit{}, err
	}
	return Commit{Hash: commit, Time: signed.Time, Payload: signed.Payload, Signature: signed.Signature, Paths: paths}, nil
}

// Accept returns what a commit holds that the caller accepts in place of the last
// snapshot, whose branch has gone where the caller does not follow. Until the next
// snapshot of another commit, At serves that commit and its ancestors only; after
// an error, nothing. To accept the last snapshot itself changes nothing.
func (r *Repository) Accept(commit string) (Snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if commit == r.last.Commit && commit != "" {
		r.accepted = nil
		return r.last, nil
	}
	h, ok := git.ParseHash(commit)
	if !ok || !r.store.Has(h) {
		r.accepted = &history{store: r.store}
		return Snapshot{}, fmt.Errorf("commit %s: %w", git.Printable(commit), ErrGone)
	}
	s, err := r.read(h)
	if err != nil {
		r.accepted = &history{store: r.store}
		return Snapshot{}, err
	}
	r.accepted = r.accepted.advance(r.store, h)
	return s, nil
}
