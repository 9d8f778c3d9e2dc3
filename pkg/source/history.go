package source

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/git"
)

// history finds out whether a commit is an ancestor of a tip. It walks back only as
// far as needed and remembers the commits that it has seen.
type history struct {
	store *git.Store
	seen  map[git.Hash]bool
	ahead []git.Hash // seen, but their parents not yet
}

func newHistory(store *git.Store, tip git.Hash) *history {
	return &history{store: store, seen: map[git.Hash]bool{tip: true}, ahead: []git.Hash{tip}}
}

// reaches returns nil if commit is the tip or one of its ancestors.
func (h *history) reaches(commit git.Hash) error {
	for known := h.store.Has(commit); known && !h.seen[commit] && len(h.ahead) > 0; {
		c, err := h.store.Commit(h.ahead[0])
		if err != nil {
			return err
		}
		h.ahead = h.ahead[1:]
		for _, p := range c.ParentHashes {
			if !h.seen[p] {
				h.seen[p] = true
				h.ahead = append(h.ahead, p)
			}
		}
	}
	if !h.seen[commit] {
		return fmt.Errorf("commit %s is not in the branch", commit)
	}
	return nil
}
