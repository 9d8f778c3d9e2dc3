package evaluate

import (
	"io/fs"

	"github.com/d-aros/d-aros/pkg/model"
)

// An Evaluator evaluates one commit after another, and of each only what changed. It
// holds nothing but results that follow from the files: dropping it costs time, never
// meaning. It is for one goroutine at a time.
type Evaluator struct {
	backend Backend

	settled  bool // the last fleet is all that its files say
	platform cached
	tenants  map[string]cached
	parts    map[string]*part // by tenant

	approvals approvals
}

// cached is the result of a layer, and the key of what it was computed from.
type cached struct {
	key    string
	result *result
}

// New returns an evaluator that evaluates in this process, without limits.
func New() *Evaluator { return Through(&inProcess{}) }

// Through returns an evaluator that evaluates through a backend.
func Through(b Backend) *Evaluator { return &Evaluator{backend: b} }

// Files is an immutable tree of files, such as the tree of one commit.
type Files interface {
	fs.FS
	// Digest identifies the content of a file or of a directory with all below it.
	Digest(name string) (string, error)
}

// Fleet evaluates the files of a commit. Applications that their tenant pins are
// read from the commit that it names, through at. Every application that the
// files declare is in Applications or in Unusable, exactly once.
func (e *Evaluator) Fleet(commit string, files Files, at func(commit string) (Files, error)) model.Fleet {
	p := &pass{e: e, commit: commit, files: files, at: at, fleet: model.Fleet{Commit: commit}}
	p.evaluate()
	e.settled = !p.unsure
	return p.fleet
}

// Settled reports whether the last fleet is all that its files say. It is false while
// a file could not be read, or an evaluation did not end: then the next fleet of the
// same files may differ.
func (e *Evaluator) Settled() bool { return e.settled }
