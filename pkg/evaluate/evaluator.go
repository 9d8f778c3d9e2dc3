package evaluate

import (
	"io/fs"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// An Evaluator evaluates one commit after another, and of each only what changed. It
// holds nothing but results that follow from the files: dropping it costs time, never
// meaning. It is for one goroutine at a time.
type Evaluator struct {
	run     func(n int, do func(i int))
	backend Backend    // nil: in this process
	form    layer.Form // made when it pays

	settled  bool // the last fleet is all that its files say
	platform cached[platformResult]
	tenants  map[string]cached[tenantResult]
	parts    map[string]*part // by tenant

	approvals approvals
}

// cached is a result, and the key of what it was computed from.
type cached[R any] struct {
	key    string
	result R
}

// New returns an evaluator. It evaluates applications that changed through run,
// which calls do for each of 0 to n-1, in any order and side by side if it likes,
// and returns when all are done. Nil evaluates one after the other.
func New(run func(n int, do func(i int))) *Evaluator {
	if run == nil {
		run = func(n int, do func(i int)) {
			for i := range n {
				do(i)
			}
		}
	}
	return &Evaluator{run: run}
}

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
