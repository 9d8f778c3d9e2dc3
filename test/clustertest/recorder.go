package clustertest

import (
	"maps"
	"net/http"
	"slices"
	"sync"

	"k8s.io/client-go/transport"
)

// A Request is what a client asked the API server, and what that answered.
type Request struct {
	Method, Path, Watch string
	Impersonated        bool // as somebody else
	Status              int
}

// Recorder notes which requests a client makes, each kind once. It is for many goroutines, so a test that reads what it noted
// needs no lock of its own.
type Recorder struct {
	mu   sync.Mutex
	seen map[Request]bool
}

// Requests returns what was asked and answered so far.
func (r *Recorder) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.seen))
}

// Wrap is for rest.Config.Wrap.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper { return recorded{r, next} }

type recorded struct {
	in   *Recorder
	next http.RoundTripper
}

// RoundTrip sends the request and notes it.
func (r recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := r.next.RoundTrip(q)
	if err != nil {
		return answer, err
	}
	asked := Request{q.Method, q.URL.Path, q.URL.Query().Get("watch"), q.Header.Get(transport.ImpersonateUserHeader) != "", answer.StatusCode}
	r.in.mu.Lock()
	defer r.in.mu.Unlock()
	if r.in.seen == nil {
		r.in.seen = map[Request]bool{}
	}
	r.in.seen[asked] = true
	return answer, nil
}
