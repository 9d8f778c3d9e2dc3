package source

import (
	"errors"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
)

// maxChanged bounds the paths of one commit that are read.
const maxChanged = 200_000

// relation returns how one commit lies to another.
func (r *Repository) relation(of, to string) (access.Relation, error) {
	_, _, found, err := r.walk(of, to)
	if err != nil || found == access.Follows {
		return found, err
	}
	return r.back(of, to)
}

// back is relation where the commit does not follow from the other.
func (r *Repository) back(of, to string) (access.Relation, error) {
	_, _, back, err := r.walk(to, of)
	if back == access.Follows {
		back = access.Precedes
	}
	return back, err
}

// walk goes back on first parents until it is at one of the stops. It returns the
// commits before it got there, oldest first, and the stop, if commit Follows from one;
// else how it does not.
func (r *Repository) walk(commit string, stops ...string) (line []git.Hash, stop string, found access.Relation, err error) {
	at, ok := git.ParseHash(commit)
	if !ok || !r.store.Has(at) {
		return nil, "", access.Gone, nil
	}
	for len(line) <= r.limits.Commits {
		if slices.Contains(stops, at.String()) {
			slices.Reverse(line)
			return line, at.String(), access.Follows, nil
		}
		c, err := r.store.Commit(at)
		if err != nil {
			return nil, "", "", err
		}
		if len(c.ParentHashes) == 0 {
			return nil, "", access.Apart, nil
		}
		line, at = append(line, at), c.ParentHashes[0]
	}
	return nil, "", access.TooFar, nil
}

// commit reads the paths that a commit changes, and its signed payload.
func (r *Repository) commit(h git.Hash) (access.Commit, error) {
	c, err := r.signed(h)
	if err != nil || c.Refused != "" {
		return c, err
	}
	trees, err := r.trees(append([]string{c.Hash}, c.Parents[:min(1, len(c.Parents))]...)...)
	if err != nil {
		return access.Commit{}, err
	}
	c.Paths, err = r.store.Changed(trees[1], trees[0], maxChanged)
	return bounded(c, err)
}

// bounded returns a commit whose paths were read, or one that is refused because it
// changes too many.
func bounded(c access.Commit, err error) (access.Commit, error) {
	if tooMany := (*git.TooManyError)(nil); errors.As(err, &tooMany) {
		return access.Commit{Hash: c.Hash, Author: c.Author, Refused: tooMany.Error()}, nil
	}
	if err != nil {
		return access.Commit{}, fmt.Errorf("commit %s: %w", c.Hash, err)
	}
	return c, nil
}

// signed reads a commit without the paths that it changes.
func (r *Repository) signed(h git.Hash) (access.Commit, error) {
	s, err := r.store.Signed(h)
	c := access.Commit{Hash: h.String(), Author: s.Author, Time: s.Time, Payload: s.Payload, Signature: s.Signature, Refused: s.Refused}
	for _, parent := range s.Parents {
		c.Parents = append(c.Parents, parent.String())
	}
	return c, err
}

// trees returns the trees of commits. Beside one alone there is that of none, as before the first commit.
func (r *Repository) trees(commits ...string) (trees []git.Hash, err error) {
	for _, name := range commits {
		c, err := r.store.Commit(hash(name))
		if err != nil {
			return nil, err
		}
		trees = append(trees, c.TreeHash)
	}
	if len(trees) == 1 {
		trees = append(trees, git.ZeroHash)
	}
	return trees, nil
}
