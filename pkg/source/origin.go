package source

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/git"
)

// Origin is the commit that made a file what it is.
type Origin struct {
	File   string
	Commit string
	Author string // name <email>, chosen by whoever made the commit
}

// Origins returns for each file below a directory of a commit the latest commit on
// the line of first parents in which it is not as in the one before: oldest first,
// by name within one commit. It looks back to the commit since and says whether it
// got there: other files have not changed after it, then. Else it looks until all
// are found, but at no more than most commits, and other files have an older origin.
func (r *Repository) Origins(commit, dir, since string, most int) (origins []Origin, reached bool, err error) {
	at, ok := git.ParseHash(commit)
	if !ok || !r.store.Has(at) {
		return nil, false, fmt.Errorf("commit %s: %w", git.Printable(commit), ErrGone)
	}
	c, err := r.store.Commit(at)
	if err != nil {
		return nil, false, err
	}
	here, err := r.directory(c.TreeHash, dir)
	if err != nil {
		return nil, false, err
	}
	files, err := r.changed(git.ZeroHash, here)
	if err != nil {
		return nil, false, fmt.Errorf("commit %s: %w", at, err)
	}
	sought := make(map[string]bool, len(files))
	for _, file := range files {
		sought[file] = true
	}
	for n := 0; n < most && len(sought) > 0 && at.String() != since; n++ {
		before, earlier := git.ZeroHash, c
		if len(c.ParentHashes) > 0 {
			if earlier, err = r.store.Commit(c.ParentHashes[0]); err != nil {
				return nil, false, err
			}
			if before, err = r.directory(earlier.TreeHash, dir); err != nil {
				return nil, false, err
			}
		}
		files, err := r.changed(before, here)
		if err != nil {
			return nil, false, fmt.Errorf("commit %s: %w", at, err)
		}
		for _, file := range slices.Backward(files) {
			if sought[file] {
				delete(sought, file)
				origins = append(origins, Origin{dir + "/" + file, at.String(), git.Printable(c.Author.Name + " <" + c.Author.Email + ">")})
			}
		}
		if len(c.ParentHashes) == 0 {
			break
		}
		at, c, here = c.ParentHashes[0], earlier, before
	}
	slices.Reverse(origins)
	return origins, at.String() == since, nil
}

// changed lists the files in which two directories differ.
func (r *Repository) changed(before, after git.Hash) ([]string, error) {
	if before == after {
		return nil, nil
	}
	return r.store.Changed(before, after, maxChanged)
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
