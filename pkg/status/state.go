package status

import (
	"errors"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// state is what the branch says at one commit. It never changes once made.
type state struct {
	head   git.Hash // ZeroHash: the branch does not exist
	tree   *dir
	ledger model.Ledger // exactly as it would be read back
	format Format
	more   map[string]fields // by file: fields of a newer format, which are kept

	// stale says that the tree may not hold what the ledger says: everything
	// is written again. What is right already costs no object.
	stale bool
}

func newState() *state { return &state{tree: &dir{}, format: Current} }

// homeless returns the state of a branch that has been deleted: the ledger is
// known, and nothing of it is written.
func (s *state) homeless() *state {
	n := newState()
	n.ledger, n.format, n.more, n.stale = s.ledger, s.format, s.more, true
	return n
}

// readState reads what a commit says.
func readState(store *git.Store, head git.Hash) (*state, error) {
	c, err := store.Commit(head)
	if err != nil {
		return nil, err
	}
	files, err := store.Files(c.TreeHash, limits)
	if err != nil {
		return nil, err
	}
	s := &state{head: head}
	if s.format, err = readFormat(files); err != nil {
		if unknown := (*FormatError)(nil); errors.As(err, &unknown) {
			unknown.Program = programOf(c.Message)
		}
		return nil, err
	}
	r := reader{fsys: files, format: s.format}
	if s.ledger, err = r.ledger(); err != nil {
		return nil, err
	}
	s.more = r.more
	if s.tree, err = readDir(store, c.TreeHash); err != nil {
		return nil, err
	}
	return s, nil
}
