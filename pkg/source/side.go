package source

import (
	"errors"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
)

// Bounds of how many commits are read for what merges bring: for one merge, and for all
// of a line.
const (
	maxSide  = 10_000
	maxSides = 500_000
)

// sides reads what the merges of a line bring, within bounds. What exceeds them is
// refused: unlike the line itself, it need not be known where the signer of the merge is
// responsible for it.
type sides struct {
	repo    *Repository
	bytes   int // that may still be kept in memory
	commits int // that may still be read
}

// errTooMuch says that a bound is reached.
var errTooMuch = errors.New("more than is read at once")

// of reads what a commit of a line brings beside its own change, nil if it is no merge
// of two commits.
func (s *sides) of(merge access.Commit) (*access.Side, error) {
	if len(merge.Parents) != 2 {
		return nil, nil
	}
	side, err := s.read(merge)
	switch {
	case err == nil:
		return side, nil
	case errors.Is(err, errTooMuch):
		return &access.Side{Refused: "brings " + errTooMuch.Error()}, nil
	case errors.Is(err, git.ErrMissing) && s.repo.remote == nil: // a store that follows a remote fetches it again
		return &access.Side{Refused: "brings commits that this clone lacks"}, nil
	}
	return nil, fmt.Errorf("read what merge %s brings: %w", merge.Hash, err)
}

func (s *sides) read(merge access.Commit) (*access.Side, error) {
	d, err := s.diverge(merge)
	if err != nil {
		return nil, err
	}
	if len(d.Bases) != 1 {
		return &access.Side{Refused: "brings a branch that has not exactly one latest commit in common with this one"}, nil
	}
	whole, err := s.change(merge, d)
	if err != nil {
		return nil, err
	}
	if whole.Refused != "" {
		return &access.Side{Refused: whole.Refused}, nil
	}
	side := &access.Side{Unmerged: whole.Paths}
	for _, h := range d.Theirs {
		c, err := s.repo.signed(h)
		if err == nil && c.Refused == "" {
			c, err = s.ownChange(c)
		}
		if err != nil {
			return nil, err
		}
		if s.bytes -= size(&c); s.bytes < 0 {
			return nil, errTooMuch
		}
		side.Commits = append(side.Commits, c)
	}
	return side, nil
}

// diverge finds where the parents of a merge diverge.
func (s *sides) diverge(merge access.Commit) (git.Divergence, error) {
	most := min(maxSide, s.commits)
	d, err := s.repo.store.Diverge(hash(merge.Parents[0]), hash(merge.Parents[1]), most)
	if far := (*git.TooFarError)(nil); errors.As(err, &far) {
		d.Read, err = most, errTooMuch
	}
	s.commits -= d.Read
	return d, err
}

// ownChange returns a commit with the paths that it changes itself.
func (s *sides) ownChange(c access.Commit) (access.Commit, error) {
	if len(c.Parents) > 2 {
		return access.Commit{Hash: c.Hash, Author: c.Author, Refused: "merges more than two commits"}, nil
	}
	var d git.Divergence
	if len(c.Parents) == 2 {
		var err error
		if d, err = s.diverge(c); err != nil {
			return access.Commit{}, err
		}
	}
	return s.change(c, d)
}

// change does so where it is known how the parents diverge. A merge changes the paths in
// which it is not the clean merge of its parents or, where these have not one latest
// commit in common, in which it differs from any of them.
func (s *sides) change(c access.Commit, d git.Divergence) (access.Commit, error) {
	if len(d.Bases) == 1 {
		trees, err := s.repo.trees(d.Bases[0].String(), c.Parents[0], c.Parents[1], c.Hash)
		if err != nil {
			return access.Commit{}, err
		}
		c.Paths, err = s.repo.store.Unmerged(trees[0], trees[1], trees[2], trees[3], maxChanged)
		return bounded(c, err)
	}
	trees, err := s.repo.trees(append([]string{c.Hash}, c.Parents...)...)
	if err != nil {
		return access.Commit{}, err
	}
	for _, before := range trees[1:] {
		paths, err := s.repo.store.Changed(before, trees[0], maxChanged)
		if c.Paths = append(c.Paths, paths...); err != nil {
			return bounded(c, err)
		}
	}
	slices.Sort(c.Paths)
	c.Paths = slices.Compact(c.Paths)
	return c, nil
}

// hash returns the hash of a commit that was read.
func hash(commit string) git.Hash {
	h, _ := git.ParseHash(commit)
	return h
}
