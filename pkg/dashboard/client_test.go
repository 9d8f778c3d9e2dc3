package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
)

const host = "127.0.0.1:8421"

// frontEnd is a front end.
var frontEnd = fstest.MapFS{
	"index.html":        {Data: []byte(`<meta name="csp-nonce" content="{{nonce}}">` + strings.Repeat("<p>", 1000))},
	"assets/app-1a2.js": {Data: []byte(strings.Repeat("let a;", 1000))},
	"favicon.svg":       {Data: []byte("<svg/>")},
}

// memory is a branch in memory.
type memory struct {
	mu      sync.Mutex
	moments []Moment // the newest last
	away    error    // why it cannot be read
}

func (b *memory) push(m Moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moments = append(b.moments, m)
}

func (b *memory) Load(context.Context) (Moment, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away != nil || len(b.moments) == 0 {
		return Moment{}, b.away
	}
	return b.moments[len(b.moments)-1], nil
}

func (b *memory) At(_ context.Context, commit string) (Moment, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.moments, func(m Moment) bool { return m.Commit == commit })
	if i < 0 {
		return Moment{}, &status.CommitError{Commit: commit, Why: "is not on the branch"}
	}
	return b.moments[i], nil
}

func (b *memory) Log(_ context.Context, before string, limit int) (v view.Timeline, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := before == ""
	for _, m := range slices.Backward(b.moments) {
		if found && len(v.Commits) == limit {
			v.Next = v.Commits[limit-1].Commit
		} else if found {
			v.Commits = append(v.Commits, view.TimelineCommit{Commit: m.Commit})
		}
		found = found || m.Commit == before
	}
	if !found {
		return v, &status.CommitError{Commit: before, Why: "is not on the branch"}
	}
	return v, nil
}

func (b *memory) History(context.Context, Moment, model.AppID, int) ([]view.HistoryEntry, error) {
	return []view.HistoryEntry{}, nil
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// commit returns the name of a commit.
func commit(n byte) string { return strings.Repeat(string('a'+n), 40) }

// small is a moment of a fleet with one application.
func small(n byte, message string) Moment {
	return Moment{Commit: commit(n), Time: began.Add(time.Duration(n) * time.Minute), Ledger: &model.Ledger{
		Commit:    commit(n + 10)[:40],
		Platform:  &model.Platform{Name: "test"},
		Instances: []model.Instance{{App: model.AppID{Tenant: "acme", Name: "shop"}, Number: 1, Phase: model.PhaseDegraded, Reason: model.ReasonNotReady, Message: message}},
	}}
}

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newServer returns a server that has looked at a branch once.
func newServer(t *testing.T, b Branch, q Questions) (*Server, *clock) {
	t.Helper()
	now := &clock{now: began}
	s, err := New(Options{
		Branch: b, Pages: frontEnd, Token: "the-token", Version: "v1", Repo: "/fleet", Name: "status", Interval: time.Hour, Now: now.time,
	})
	require.NoError(t, err)
	s.running = t.Context()
	if q != nil {
		s.workers = benchesOf(s, &Desk{Questions: q})
	}
	s.follower.look(t.Context())
	t.Cleanup(s.work.Wait)
	return s, now
}

// benchesOf returns workers in this process, whose evaluators are those that a test has.
func benchesOf(s *Server, desks ...*Desk) *benches {
	var all []Worker
	for _, d := range desks {
		d.Branch = s.Branch
		d.Worked = func() (sum time.Duration) {
			for _, of := range []any{d.Questions, d.Plans, d.Drafts} {
				if w, ok := of.(interface{ Worked() time.Duration }); ok {
					sum += w.Worked()
				}
			}
			return sum
		}
		all = append(all, d)
	}
	return newBenches(all)
}

// client asks a server without a network.
type client struct {
	t       *testing.T
	handler http.Handler
	cookie  *http.Cookie
}

// stranger returns a client without a session.
func stranger(t *testing.T, s *Server) *client {
	return &client{t: t, handler: s.handler(hostsOf(host))}
}

// signedIn returns a client with a session.
func signedIn(t *testing.T, s *Server) *client {
	t.Helper()
	c := stranger(t, s)
	w := c.post("session", `{"token":"`+s.Token+`"}`)
	require.Equal(t, http.StatusNoContent, w.Code, w.Body)
	require.Len(t, w.Result().Cookies(), 1)
	c.cookie = w.Result().Cookies()[0]
	return c
}

// do sends a request, with pairs of headers.
func (c *client) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(c.t.Context(), method, "http://"+host+target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	if c.cookie != nil {
		r.AddCookie(c.cookie)
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

func (c *client) get(path string, headers ...string) *httptest.ResponseRecorder {
	return c.do(http.MethodGet, "/api/v1/"+path, "", headers...)
}

func (c *client) post(path, body string, headers ...string) *httptest.ResponseRecorder {
	return c.do(http.MethodPost, "/api/v1/"+path, body, headers...)
}
