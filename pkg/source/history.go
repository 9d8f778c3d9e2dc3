package source

import (
	"fmt"
	"maps"

	"github.com/d-aros/d-aros/pkg/git"
)

// history finds out whether a commit is an ancestor of a tip. It walks back only as
// far as needed and remembers the commits that it has seen.
type history struct {
	store  *git.Store
	tip    git.Hash
	seen   map[git.Hash]bool
	ahead  []git.Hash // seen, but their parents not yet
	before *history   // of an earlier tip, joined when the walk reaches it
}

// advance returns the history of a later tip. h may be nil.
func (h *history) advance(store *git.Store, tip git.Hash) *history {
	if h != nil && h.tip == tip {
		return h
	}
	if h != nil {
		h.before = nil
	}
	return &history{store: store, tip: tip, seen: map[git.Hash]bool{tip: true}, ahead: []git.Hash{tip}, before: h}
}

// reaches returns nil if commit is the tip or one of its ancestors.
func (h *history) reaches(commit git.Hash) error {
	if !h.seen[commit] && !h.store.Has(commit) {
		return fmt.Errorf("commit %s is not in the branch", commit)
	}
	for !h.seen[commit] {
		if len(h.ahead) == 0 {
			return fmt.Errorf("commit %s is not in the branch", commit)
		}
		next := h.ahead[0]
		if h.before != nil && next == h.before.tip {
			h.join()
			continue
		}
		c, err := h.store.Commit(next)
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
	return nil
}

// join takes over the commits that the earlier history has seen: all of them are
// reachable, because its tip is.
func (h *history) join() {
	h.ahead = append(h.ahead[1:], h.before.ahead...)
	maps.Copy(h.seen, h.before.seen)
	h.before = nil
}
