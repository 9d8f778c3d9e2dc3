package source

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/git"
)

// Origin is the commit that made a file what it is.
type Origin struct {
	Commit string
	Author string // name <email>, chosen by whoever made the commit
}

// Origins returns for each file below a directory of a commit the latest commit on
// the line of first parents in which it is not as in the one before. It looks back
// to the commit since and says whether it got there: files without an origin have
// not changed after it, then. Else it looks at all commits, but at no more than
// most, and a file without an origin has an older one.
func (r *Repository) Origins(commit, dir, since string, most int) (origins map[string]Origin, reached bool, err error) {
	at, ok := git.ParseHash(commit)
	if !ok || !r.store.Has(at) {
		return nil, false, fmt.Errorf("commit %s: %w", git.Printable(commit), ErrGone)
	}
	origins = map[string]Origin{}
	c, err := r.store.Commit(at)
	if err != nil {
		return nil, false, err
	}
	here, err := r.directory(c.TreeHash, dir)
	if err != nil {
		return nil, false, err
	}
	for n := 0; n < most && here != git.ZeroHash; n++ {
		if at.String() == since {
			return origins, true, nil
		}
		before, earlier := git.ZeroHash, c
		if len(c.ParentHashes) > 0 {
			if earlier, err = r.store.Commit(c.ParentHashes[0]); err != nil {
				return nil, false, err
			}
			if before, err = r.directory(earlier.TreeHash, dir); err != nil {
				return nil, false, err
			}
		}
		paths, err := r.store.Changed(before, here, maxChanged)
		if err != nil {
			return nil, false, fmt.Errorf("commit %s: %w", at, err)
		}
		for _, p := range paths {
			if _, known := origins[dir+"/"+p]; !known {
				origins[dir+"/"+p] = Origin{at.String(), git.Printable(c.Author.Name + " <" + c.Author.Email + ">")}
			}
		}
		if len(c.ParentHashes) == 0 {
			break
		}
		at, c, here = c.ParentHashes[0], earlier, before
	}
	return origins, at.String() == since, nil
}

// directory returns the tree of a directory at the root of a commit, a ZeroHash if
// there is none.
func (r *Repository) directory(root git.Hash, name string) (git.Hash, error) {
	t, err := r.store.Tree(root)
	if err != nil {
		return git.ZeroHash, err
	}
	if e, ok := t.Find(name); ok && e.IsDir() {
		return e.Hash, nil
	}
	return git.ZeroHash, nil
}
