package source

import (
	"errors"
	"strings"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
)

// brought returns the commit that made a file what it is on the branch that a merge
// brings, nil if that is not found. It goes on through merges there that are clean for
// the file.
func (r *Repository) brought(merge access.Commit, file string) (*access.Commit, error) {
	if len(merge.Parents) != 2 {
		return nil, nil
	}
	c, err := r.lastChange(merge, file)
	if errors.Is(err, errTooMuch) || errors.Is(err, git.ErrMissing) && r.remote == nil {
		return nil, nil
	}
	return c, err
}

func (r *Repository) lastChange(merge access.Commit, file string) (*access.Commit, error) {
	want, err := r.entry(merge.Hash, file)
	if err != nil {
		return nil, err
	}
	at := merge.Parents[1]
	if e, err := r.entry(at, file); err != nil || e != want {
		return nil, err
	}
	s := sides{repo: r, commits: maxSide}
	for ; s.commits > 0; s.commits-- {
		c, err := r.signed(hash(at))
		if err != nil || c.Refused != "" {
			return nil, err
		}
		next, err := s.before(c, file, want)
		if err != nil {
			return nil, err
		}
		if next == "" {
			return &c, nil
		}
		at = next
	}
	return nil, errTooMuch
}

// before returns the parent from which a commit has a file unchanged, "" if the commit
// changed it.
func (s *sides) before(c access.Commit, file string, want git.Entry) (string, error) {
	from := c.Parents
	if len(from) == 2 {
		d, err := s.diverge(c)
		if err != nil || len(d.Bases) != 1 {
			return "", err
		}
		base, err := s.repo.entry(d.Bases[0].String(), file)
		if err != nil || base == want {
			return "", err // the merge kept what another side had changed, or nobody changed it
		}
	}
	for _, parent := range from {
		if e, err := s.repo.entry(parent, file); err != nil || e == want {
			return parent, err
		}
	}
	return "", nil
}

// entry returns a file of a commit, the zero Entry if it has none of that name.
func (r *Repository) entry(commit, file string) (git.Entry, error) {
	c, err := r.store.Commit(hash(commit))
	if err != nil {
		return git.Entry{}, err
	}
	return r.store.Find(c.TreeHash, strings.Split(file, "/")...)
}
