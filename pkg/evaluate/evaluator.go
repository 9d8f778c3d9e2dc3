package evaluate

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// An Evaluator evaluates one commit after another and does again only what
// changed. It holds nothing but results that follow from the files: dropping it
// costs time, never meaning. It is for one goroutine at a time.
type Evaluator struct {
	run     func(n int, do func(i int))
	backend Backend // nil: in this process
	form    form    // made when it pays

	settled  bool // the last fleet is all that its files say
	platform memory[platformResult]
	tenants  map[string]memory[tenantResult]
	parts    map[string]*part // by tenant
	hosts    hosts

	approvals approvals
}

// memory is a result and the key of what it was computed from.
type memory[R any] struct {
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

// Fleet evaluates the files of a commit. Applications that their tenant pins are
// read from the commit that it names, through at. Every application that the
// files declare is in Applications or in Unusable, exactly once.
func (e *Evaluator) Fleet(commit string, files Files, at func(commit string) (Files, error)) model.Fleet {
	p := &pass{e: e, commit: commit, files: files, at: at, fleet: model.Fleet{Commit: commit}}
	p.evaluate()
	e.settled = !p.unsure
	return p.fleet
}

// Settled says whether the last fleet is all that its files say: nothing could not
// be read, or was not evaluated to the end, so that it would come out otherwise
// another time.
func (e *Evaluator) Settled() bool { return e.settled }

// gaveUp is a problem of the evaluation itself.
func gaveUp(dir string, reason any) model.Problem {
	return at(codeGaveUp, dir, "could not be evaluated: "+oneLine(fmt.Sprint(reason)))
}
