package clone

import (
	"context"
	"errors"
	"fmt"
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
	base, tree, objects, err := w.treeWith(ctx, base, changes)
	if err != nil {
		return Saved{}, err
	}
	parent, ok := git.ParseHash(base)
	if !ok {
		return Saved{}, fmt.Errorf("%q is no hash of a commit", base)
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

// treeWith returns the commit of a name, and its tree with changes of the files that it has, with what is new of that.
func (w *Tree) treeWith(ctx context.Context, base string, changes []Change) (commit string, tree git.Hash, objects *git.Objects, err error) {
	if commit, err = w.Revision(ctx, base); err != nil {
		return "", tree, nil, err
	}
	if err := w.sameAt(ctx, commit, changes); err != nil {
		return "", tree, nil, err
	}
	prefix, err := Output(ctx, w.Root, "rev-parse", "--show-prefix")
	if err != nil {
		return "", tree, nil, err
	}
	top, err := Line(ctx, w.Root, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
	if err != nil {
		return "", tree, nil, err
	}
	tree, ok := git.ParseHash(top)
	if !ok {
		return "", tree, nil, fmt.Errorf("%q is no hash of a tree", top)
	}
	objects = git.NewObjects()
	tree, err = w.changed(tree, chomp(prefix), changes, objects)
	return commit, tree, objects, err
}
