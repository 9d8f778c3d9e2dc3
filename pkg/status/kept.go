package status

import "github.com/d-aros/d-aros/pkg/git"

// What is kept is a cache. Where it cannot be read or written, the branch is fetched
// the next time, so no error of it matters.

// recall reads what was kept of a commit when the process starts.
func (b *Branch) recall(tip git.Hash) *state {
	if b.kept == nil || b.state != nil {
		return nil
	}
	store, ok := b.kept.Store(tip)
	if !ok {
		return nil
	}
	s, err := readState(store, tip)
	if err != nil {
		return nil // the branch itself will say what is wrong
	}
	return s
}

// keep keeps what a commit needs, in place of what was kept. Pages are for people.
func (b *Branch) keep(store *git.Store, tip git.Hash) {
	if b.kept != nil {
		_ = b.kept.Replace(store, tip, func(name string) bool { return name == readmeFile })
	}
}

// append keeps what a save adds. It comes before the push: whether the remote has it
// or not, what is kept holds all that either needs.
func (b *Branch) append(objects *git.Objects, head git.Hash) {
	if b.kept == nil {
		return
	}
	if fits, err := b.kept.Append(objects, head); err != nil || fits {
		return
	}
	if store, ok := b.kept.Store(head); ok {
		b.keep(store, head)
	}
}
