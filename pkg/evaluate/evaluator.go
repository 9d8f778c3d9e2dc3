package evaluate

import (
	"github.com/d-aros/d-aros/pkg/model"
)

// An Evaluator evaluates one commit after another, and of each only the changes. It keeps
// only results that depend on the files: dropping it costs nothing but time. It is for
// one goroutine at a time.
type Evaluator struct {
	backend Backend

	settled  bool // the last fleet is final
	platform cached
	tenants  map[string]cached
	parts    map[string]*part // by tenant

	approvals approvals

	known model.Ledger // whose applications go first

	fleets int                 // that were evaluated
	asked  map[string]int      // the fleet for which a tenant's application was evaluated last
	turns  map[model.AppID]int // the same for an application
}

// cached is the result of a layer, and the key of what it was computed from.
type cached struct {
	key    string
	result *result
}

// Through returns an evaluator that evaluates through a backend.
func Through(b Backend) *Evaluator {
	return &Evaluator{backend: b, asked: map[string]int{}, turns: map[model.AppID]int{}}
}

// Follow tells which applications the ledger has: they go first where a tenant declares
// more than it may have. Without it nobody goes first.
func (e *Evaluator) Follow(ledger *model.Ledger) { e.known = *ledger }

// Files is an immutable tree of files, such as the tree of one commit.
type Files = model.Files

// Fleet evaluates the files of a commit. Files of pinned applications are read from the
// commit of the pin, through at. Every application that the files declare is exactly
// once in Applications or in Unusable.
func (e *Evaluator) Fleet(commit string, files Files, at func(commit string) (Files, error)) model.Fleet {
	p := &pass{e: e, commit: commit, files: files, at: at, fleet: model.Fleet{Commit: commit}}
	e.fleets++
	p.evaluate()
	e.settled = !p.unsure
	return p.fleet
}

// Settled reports whether the last fleet is final. It is false if a file could not be
// read or an evaluation did not end: then the next fleet of the same files may differ.
func (e *Evaluator) Settled() bool { return e.settled }
