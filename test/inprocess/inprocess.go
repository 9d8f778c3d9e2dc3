// Package inprocess gives tests a backend that evaluates in their process, without limits, and remembers. Most tests of a package
// begin with the same files, and the answer to a request follows from the request alone.
package inprocess

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

// A worker answers requests, one at a time, as evaluate.Worker does.
type worker interface {
	Answer(request []byte) ([]byte, error)
}

// A Backend is an evaluate.Backend. All backends of a process share what they remember.
type Backend struct{ hire func() worker }

// By returns a backend whose requests workers of a type answer: inprocess.By[evaluate.Worker](). A process has workers of one type.
// The package itself does not import evaluate, whose own tests need it.
func By[W any, P interface {
	*W
	worker
}]() Backend {
	return Backend{func() worker { return P(new(W)) }}
}

// most bounds the answers that are remembered: a fuzz target asks for ever.
const most = 1 << 13

var shared = struct {
	sync.Mutex
	known map[[sha256.Size]byte][]byte // answers by request
	idle  []worker                     // what a worker has compiled serves the next evaluator, too
}{known: map[[sha256.Size]byte][]byte{}}

func (Backend) Run(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

// Recall knows nothing, so that an evaluator does the same as before its first answer.
func (Backend) Recall(string) ([]byte, bool) { return nil, false }

func (Backend) Refused(string, string) error { return nil }

func (Backend) Allot(map[string]time.Duration) {}

// Evaluate answers a request as a worker does.
func (b Backend) Evaluate(_, _ string, request []byte) ([]byte, error) {
	key := sha256.Sum256(request)
	w, known := b.begin(key)
	if w == nil {
		return slices.Clone(known), nil
	}
	answer, err := w.Answer(request)
	shared.Lock()
	defer shared.Unlock()
	shared.idle = append(shared.idle, w)
	if err == nil && len(shared.known) < most {
		shared.known[key] = slices.Clone(answer)
	}
	return answer, err
}

// begin returns the answer to a request, or a worker that has to find it.
func (b Backend) begin(key [sha256.Size]byte) (w worker, known []byte) {
	shared.Lock()
	defer shared.Unlock()
	if known, ok := shared.known[key]; ok {
		return nil, known
	}
	if last := len(shared.idle) - 1; last >= 0 {
		w, shared.idle = shared.idle[last], shared.idle[:last]
		return w, nil
	}
	return b.hire(), nil
}
