package source

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/text"
)

// origins has the origins of the files below a directory of a commit.
type origins struct {
	commit, dir string
	list        []access.Origin
}

// Origins returns for each file below a directory the latest commit on first parents
// in which it is not as in the one before: oldest first, by name within one commit. A
// file that did not change in the last access.MaxOrigins commits has none. What was
// found for an earlier commit is not looked for again.
func (s Snapshot) Origins(dir string) ([]access.Origin, error) {
	if s.repo == nil {
		return nil, errors.New("source unavailable: no snapshot yet")
	}
	s.repo.mu.Lock()
	defer s.repo.mu.Unlock()
	known := s.repo.origins
	if known.commit == s.Commit && known.dir == dir {
		return known.list, nil
	}
	since := ""
	if known.dir == dir {
		since = known.commit
	}
	list, reached, err := s.repo.originsSince(s.Commit, dir, since, access.MaxOrigins)
	if err != nil {
		return nil, fmt.Errorf("look for who wrote the files of %s: %w", dir, err)
	}
	if reached {
		changed := make(map[string]bool, len(list))
		for _, o := range list {
			changed[o.File] = true
		}
		older := slices.DeleteFunc(slices.Clone(known.list), func(o access.Origin) bool {
			_, err := s.Files.Stat(o.File)
			return changed[o.File] || errors.Is(err, fs.ErrNotExist)
		})
		list = append(older, list...)
	}
	s.repo.origins = origins{s.Commit, dir, list}
	return list, nil
}

// Origins does so for a commit that the store holds, and asks no remote.
func (r *Repository) Origins(commit, dir string) ([]access.Origin, error) {
	r.mu.Lock()
	snap, err := r.open(commit)
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return snap.Origins(dir)
}

// originsSince looks back to the commit since and reports whether it got there: other
// files have not changed after it, then. Else it looks until all are found, but at no
// more than most commits.
func (r *Repository) originsSince(commit, dir, since string, most int) (origins []access.Origin, reached bool, err error) {
	at, ok := git.ParseHash(commit)
	if !ok || !r.store.Has(at) {
		return nil, false, fmt.Errorf("commit %s is not in the repository", text.Clean(commit))
	}
	c, err := r.store.Commit(at)
	if err != nil {
		return nil, false, err
	}
	here, err := r.store.Directory(c.TreeHash, dir)
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
			if before, err = r.store.Directory(earlier.TreeHash, dir); err != nil {
				return nil, false, err
			}
		}
		files, err := r.changed(before, here)
		if err != nil {
			return nil, false, fmt.Errorf("commit %s: %w", at, err)
		}
		files = slices.DeleteFunc(files, func(file string) bool { return !sought[file] })
		if len(files) > 0 {
			by, err := r.signed(at)
			if err != nil {
				return nil, false, err
			}
			for _, file := range slices.Backward(files) {
				delete(sought, file)
				o := access.Origin{File: dir + "/" + file, Commit: by}
				if o.Brought, err = r.brought(by, o.File); err != nil {
					return nil, false, err
				}
				origins = append(origins, o)
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
