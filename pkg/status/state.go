package status

import (
	"maps"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
)

// state is the content of the branch at one commit. It is immutable.
type state struct {
	head   git.Hash // ZeroHash: the branch does not exist
	tree   *dir
	ledger model.Ledger // exactly as it would be read back
	format Format
	more   map[string]fields // by file: fields of a newer format, which are kept
	raw    map[string][]byte // by file: the records of applications that have a damaged one

	former map[git.Hash]bool // records whose content is not just what the ledger has: see reader.former
	size   int64             // bytes of the records that were read for it

	signed  bool // head is signed, as all that follows has to be
	foreign bool // head is not believed, and tree is not its tree

	shown page.Branch // what the first page says of the branch

	nodes func(*model.Ledger) map[string][]byte // of Options

	// stale marks a tree that may differ from the ledger, so that every file is
	// written again. A file that is right costs no object.
	stale bool

	// given are the layers of the ledger that was saved last, as the caller gave them.
	given model.Ledger
}

// givenBy returns the parts of a ledger that have no revision.
func givenBy(l *model.Ledger) model.Ledger {
	return model.Ledger{Platform: l.Platform, Tenants: l.Tenants, Pools: l.Pools, Problems: l.Problems, Orphans: l.Orphans, PastUse: l.PastUse}
}

func newState() *state { return &state{tree: &dir{}, format: Current} }

// deleted returns the state after the branch was deleted: the ledger is known, and none
// of its files exist.
func (s *state) deleted() *state {
	n := newState()
	n.ledger, n.format, n.more, n.raw, n.signed, n.stale = healed(s.ledger), s.format, s.more, s.raw, s.signed, true
	for i := range s.ledger.Damaged {
		if app := s.ledger.Damaged[i].App; n.ledger.DamagedOf(app) == nil {
			n.raw = maps.Clone(n.raw)
			maps.DeleteFunc(n.raw, func(file string, _ []byte) bool { return strings.HasPrefix(file, tenantsDir+"/"+app.String()+"/") })
		}
	}
	return n
}

// readState reads the state of the branch at a commit.
func readState(store *git.Store, head git.Hash, limits bounds) (*state, error) {
	c, err := store.Commit(head)
	if err != nil {
		return nil, err
	}
	r, err := readerAt(store, c.TreeHash, c.Message, limits.FileLimits)
	if err != nil {
		return nil, err
	}
	r.most = limits.bytes
	s := &state{head: head, format: r.format, signed: c.PGPSignature != "" && trailer(c.Message, sequenceTrailer) != ""}
	if s.ledger, err = r.ledger(); err != nil {
		return nil, err
	}
	s.more, s.raw = r.more, rawOf(r.fsys, s.ledger.Damaged)
	if s.tree, err = (&dir{}).since(store, c.TreeHash, 0, nil); err != nil {
		return nil, err
	}
	s.former, s.size = r.formerOf(s), r.size.Load()
	s.revise()
	return s, nil
}

// revise sets the revisions of the records that have none: they follow from the names
// of their files.
func (s *state) revise() {
	l := &s.ledger
	l.Revision = model.Revision(s.tree.hash)
	name := func(d *dir, file string) []byte {
		h := git.ZeroHash
		if d != nil {
			h = d.blob(s.format.name(file))
		}
		return h[:]
	}
	for i := range l.Instances {
		in := &l.Instances[i]
		if in.Revision != (model.Revision{}) {
			continue
		}
		var names []byte
		d := s.tree.at(tenantsDir + "/" + in.App.String())
		for _, file := range []string{instanceFile, specFile, previousFile, workflowFile} {
			names = append(names, name(d, file)...)
		}
		in.Revision = model.Revision(git.BlobHash(names))
	}
	for i := range l.Decisions {
		d := &l.Decisions[i]
		if d.Revision == (model.Revision{}) {
			d.Revision = model.Revision(name(s.tree.at(tenantsDir+"/"+d.App.String()), decisionFile))
		}
	}
}
