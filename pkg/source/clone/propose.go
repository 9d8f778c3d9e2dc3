package clone

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
)

// Author is who changes something.
type Author struct {
	Name, Email string
	Time        time.Time
}

// Target is a repository that drafts are proposed to.
type Target struct{ remote *git.Remote }

// NewTarget describes the repository at a URL. The token in a file is for https, the key for ssh. It does not connect.
func NewTarget(url, tokenFile, sshKey, knownHosts string) (*Target, error) {
	remote, err := git.NewRemote(url, git.Auth{TokenFile: tokenFile, KeyFile: sshKey, KnownHosts: knownHosts}, git.Limits{})
	return &Target{remote}, err
}

// RefusedError says that a Git server did not take a branch, in its words. Nothing was saved.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return "it was not saved: " + e.Err.Error() }

// Unwrap returns the words of the server.
func (e *RefusedError) Unwrap() error { return e.Err }

// Propose commits changes of the files of a commit for somebody who has no clone, without a signature, onto a new branch of a remote.
// If the name of the branch is taken, the branch gets a number. It writes nothing into the clone, and no other ref of the
// remote: a draft's branch names none. A *RefusedError is what the remote says.
func (w *Tree) Propose(ctx context.Context, base string, changes []Change, by Author, message string, p DraftBranch, to *Target) (Saved, error) {
	base, err := w.Revision(ctx, base)
	if err != nil {
		return Saved{}, err
	}
	if err := w.sameAt(ctx, base, changes); err != nil {
		return Saved{}, err
	}
	parent, ok := git.ParseHash(base)
	if !ok {
		return Saved{}, fmt.Errorf("%q is no hash of a commit", base)
	}
	objects := git.NewObjects()
	tree, err := w.newTree(ctx, base, changes, objects)
	if err != nil {
		return Saved{}, err
	}
	commit := objects.AddCommit(git.NewCommit{Tree: tree, Parent: parent, Name: by.Name, Email: by.Email, Time: by.Time, Message: message})
	for n := 1; n <= mostNames; n++ {
		p := p.numbered(n)
		err := to.remote.Push(ctx, p.ref(), git.ZeroHash, commit, objects)
		if err == nil {
			return Saved{Branch: p.Branch(), Commit: commit.String(), Pushed: true}, nil
		}
		if errors.Is(err, git.ErrRefMoved) {
			continue // somebody has the name
		}
		if refs, check := to.remote.Refs(ctx); check == nil {
			switch refs[p.ref()].Commit {
			case git.ZeroHash:
			case commit:
				return Saved{Branch: p.Branch(), Commit: commit.String(), Pushed: true}, nil // the answer was lost
			default:
				continue // another saver was faster
			}
		}
		return Saved{}, &RefusedError{err}
	}
	return Saved{}, fmt.Errorf("%d branches have the name %s; choose another one", mostNames, p.Branch())
}

// newTree returns the tree of a commit with changes, and puts what is new of it among objects.
func (w *Tree) newTree(ctx context.Context, commit string, changes []Change, objects *git.Objects) (git.Hash, error) {
	prefix, err := Output(ctx, w.Root, "rev-parse", "--show-prefix")
	if err != nil {
		return git.ZeroHash, err
	}
	top, err := Line(ctx, w.Root, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
	if err != nil {
		return git.ZeroHash, err
	}
	tree, ok := git.ParseHash(top)
	if !ok {
		return git.ZeroHash, fmt.Errorf("%q is no hash of a tree", top)
	}
	for _, c := range changes {
		name := path.Join(chomp(prefix), c.Name)
		if tree, err = objects.AddChanged(w.store, tree, strings.Split(name, "/"), c.After); err != nil {
			return git.ZeroHash, fmt.Errorf("change %s: %w", c.Name, err)
		}
	}
	return tree, nil
}
