package status

import (
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// state is what the branch says at one commit. It never changes once made.
type state struct {
	head   git.Hash // ZeroHash: the branch does not exist
	tree   *dir
	ledger model.Ledger // exactly as it would be read back

	// prints tell by path whether a record is the one that the tree holds,
	// without encoding it.
	prints map[string]model.Digest
}

func newState() *state {
	return &state{tree: &dir{}, prints: map[string]model.Digest{}}
}

// homeless returns the state of a branch that has been deleted: the ledger is
// known, and nothing of it is written.
func (s *state) homeless() *state {
	n := newState()
	n.ledger = s.ledger
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
	if s.ledger, err = Read(files); err != nil {
		return nil, err
	}
	if s.tree, err = readDir(store, c.TreeHash); err != nil {
		return nil, err
	}
	s.prints = printsOf(&s.ledger)
	return s, nil
}

// printsOf returns the prints of all records of a ledger.
func printsOf(l *model.Ledger) map[string]model.Digest {
	prints := map[string]model.Digest{}
	if l.Commit != "" {
		prints[sourceFile] = model.DigestOf(source{l.Commit})
	}
	if l.Platform != nil {
		prints[platformFile] = model.DigestOf(l.Platform)
	}
	if len(l.Pools) > 0 {
		prints[capacityFile] = model.DigestOf(l.Pools)
	}
	if len(l.Problems) > 0 {
		prints[problemsFile] = model.DigestOf(l.Problems)
	}
	for i := range l.Tenants {
		prints[tenantsDir+"/"+l.Tenants[i].Name+"/"+tenantFile] = model.DigestOf(l.Tenants[i])
	}
	for _, r := range records(l) {
		prints[tenantsDir+"/"+r.app.String()] = r.print()
	}
	return prints
}
