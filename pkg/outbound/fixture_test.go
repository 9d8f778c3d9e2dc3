package outbound

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

var shop = model.AppID{Tenant: "acme", Name: "shop"}

// receiver is a server that remembers what it was sent.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests []received
}

type received struct {
	*http.Request
	body []byte
}

// receive starts a server. It answers as told, with the number of the request from 1.
func receive(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	s := &receiver{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, received{r, body})
		n := len(s.requests)
		s.mu.Unlock()
		if answer != nil {
			answer(n, w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *receiver) seen() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// open returns a dispatcher that is in no hurry to give up, and quick to try again.
func open(t *testing.T, o Options) *Dispatcher {
	d := NewDispatcher(o)
	d.pause = func(int) time.Duration { return time.Millisecond }
	t.Cleanup(d.Close)
	return d
}

// literal allows calls to the servers of tests, which have no name.
var literal = []string{"127.0.0.1"}

func probeOf(key, url string) Task {
	return Task{App: shop, Egress: literal, Intent: workflow.Intent{
		Key: key, Step: "ask", Deadline: time.Now().Add(time.Minute), Probe: &workflow.Probe{URL: url},
	}}
}

func noticeOf(key, url, secret string) Task {
	return Task{App: shop, Egress: literal, Intent: workflow.Intent{
		Key: key, Step: "tell", Deadline: time.Now().Add(time.Minute), Notice: &workflow.Notice{
			URL: url, Secret: secret, Event: "run/tell/1", App: shop, Run: "3f2a91c04be7", Spec: "77aa", Message: "it is out",
			Steps: []workflow.NoticeStep{{Name: "release", Phase: model.StepSucceeded}},
		},
	}}
}

// finish waits until n results are there.
func finish(t *testing.T, d *Dispatcher, n int) []workflow.Result {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		if r := d.Results(); len(r) >= n {
			return r
		}
		select {
		case <-d.Changed():
		case <-limit:
			require.Fail(t, "no result", "%d of %d", len(d.Results()), n)
		}
	}
}

// one carries out one task.
func one(t *testing.T, o Options, task Task) workflow.Result {
	t.Helper()
	d := open(t, o)
	d.Do([]Task{task})
	return finish(t, d, 1)[0]
}

// keys writes a directory of keys.
func keys(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, data := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	return dir
}
