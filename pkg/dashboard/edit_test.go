package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// desk is a place where drafts are previewed when a test says so.
type desk struct {
	begun   chan offline.Draft
	proceed chan struct{} // one element lets one preview go on
	bad     error
	panics  bool
	refused []model.Problem
	worked
}

// newDesks returns some that share their channels.
func newDesks(n int) (first *desk, all []*Desk) {
	begun, proceed := make(chan offline.Draft, 100), make(chan struct{}, 100)
	for range n {
		first = &desk{begun: begun, proceed: proceed}
		all = append(all, &Desk{Drafts: first})
	}
	return first, all // the last is used first
}

// saver counts what is saved.
type saver struct {
	saved atomic.Int32
	bad   error
}

func (s *saver) Save(_ context.Context, _ string, _ []clone.Change, message string, onto clone.DraftBranch) (clone.Saved, error) {
	s.saved.Add(1)
	return clone.Saved{Branch: onto.Branch(), Commit: message}, nil
}

func (s *saver) Write(context.Context, ...clone.Change) error { return s.bad }

func (d *desk) Follow(context.Context, offline.Recorded, time.Time) error { return nil }

func (d *desk) Source(context.Context, string) (s offline.Source, err error) { return s, d.bad }

func (d *desk) Schema(string, string) ([]byte, error) { return []byte(`{}`), d.bad }

func (d *desk) Offers(string) (o offline.Offers, err error) { return o, d.bad }

func (d *desk) Preview(_ context.Context, draft offline.Draft) (offline.Preview, error) {
	d.begun <- draft
	<-d.proceed
	d.work()
	if d.panics {
		panic("a file that nobody expected")
	}
	return offline.Preview{Commit: commit(1), Problems: d.refused, Changes: []clone.Change{{Name: "app.cue"}}}, d.bad
}

// drafting returns a server with some desks.
func drafting(t *testing.T, n int) (*Server, *desk, *clock) {
	first, all := newDesks(n)
	s, now := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	s.workers, s.Saver = benchesOf(s, all...), &saver{}
	return s, first, now
}

// bodyOf is a draft with edits of acme/shop, and more fields.
func bodyOf(more string, values ...string) string {
	var edits []string
	for _, v := range values {
		edits = append(edits, `{"dir":"tenants/acme/apps/shop","path":["priority"],"op":"set","value":`+v+`}`)
	}
	return `{"base":"` + commit(1) + `","edits":[` + strings.Join(edits, ",") + `]` + more + `}`
}

// TestNewestPreviewWins: who types gets the preview of the last draft; others get theirs at the same time, as many as there are
// places; who comes then waits.
func TestNewestPreviewWins(t *testing.T) {
	s, d, now := drafting(t, 2)
	var browsers []*client
	for range 3 {
		browsers = append(browsers, signedIn(t, s))
		now.pass(betweenSigns)
	}
	ask := func(c *client, value string) <-chan *httptest.ResponseRecorder {
		answered := make(chan *httptest.ResponseRecorder, 1)
		go func() { answered <- c.post("preview", bodyOf("", value)) }()
		return answered
	}
	first := ask(browsers[0], "1")
	<-d.begun
	second := ask(browsers[0], "2") // beside the first, which still computes
	refused(t, http.StatusConflict, <-first)
	require.Equal(t, json.RawMessage("2"), (<-d.begun).Edits[0].Value)
	others := ask(browsers[1], "3")
	require.Len(t, s.workers.places, 2)
	d.proceed <- struct{}{} // for one of the two
	<-d.begun               // the third, in its place
	d.proceed <- struct{}{}
	d.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, (<-second).Code)
	require.Equal(t, http.StatusOK, (<-others).Code)

	// A save is not ended by the preview that its browser asks for next.
	saves := make(chan *httptest.ResponseRecorder, 1)
	go func() { saves <- browsers[2].post("branches", bodyOf(`,"name":"more"`, "4")) }()
	<-d.begun
	third := ask(browsers[2], "5")
	<-d.begun
	d.proceed <- struct{}{}
	d.proceed <- struct{}{}
	require.Equal(t, http.StatusCreated, (<-saves).Code)
	require.Equal(t, http.StatusOK, (<-third).Code)
}

// TestPreviewsHaveALimit: who waits too long is told so, whether his draft has begun or not, and other pages go on.
func TestPreviewsHaveALimit(t *testing.T) {
	s, d, now := drafting(t, 1)
	c := signedIn(t, s)
	now.pass(betweenSigns)
	other := signedIn(t, s)
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() { answered <- c.post("preview", bodyOf("", "1")) }()
	<-d.begun
	s.previewIn = time.Millisecond
	require.Contains(t, refused(t, http.StatusServiceUnavailable, other.get("source/applications/acme/shop")), "ask again", "the place is taken")
	require.Equal(t, http.StatusOK, other.get("fleet").Code)
	d.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, (<-answered).Code)
	for {
		w := c.post("preview", bodyOf("", "1"))
		if w.Code == http.StatusServiceUnavailable {
			require.Contains(t, refused(t, w.Code, w), "ask again", "it never began")
			s.previewIn *= 2
			continue
		}
		require.Contains(t, refused(t, http.StatusRequestEntityTooLarge, w), "the answer takes more than 30s, so it was given up; save the draft all the same", "it computes for ever")
		require.Contains(t, w.Body.String(), `"saves": true`, "as where it ends by its CPU time")
		break
	}
	<-d.begun
	d.proceed <- struct{}{}
}

func TestBadDrafts(t *testing.T) {
	s, d, _ := drafting(t, 1)
	c := signedIn(t, s)
	var many strings.Builder
	for i := range maxDirs {
		fmt.Fprintf(&many, `{"dir":"tenants/acme/apps/a%d","path":["priority"],"op":"set","value":1},`, i)
	}
	edit := func(fields string) string { return `{"base":"` + commit(1) + `","edits":[{` + fields + `}]}` }
	for want, body := range map[string]string{
		"cannot be read":        "",
		"as a whole":            edit(`"dir":"tenants/acme","path":[],"op":"remove"`),
		"write all 40":          `{"base":"main","edits":[]}`,
		"has no edits":          bodyOf(""),
		"one can change 10":     strings.Replace(bodyOf("", "1"), `"edits":[`, `"edits":[`+many.String(), 1),
		"one can have 500":      bodyOf("", strings.Split(strings.Repeat("1,", 500)+"1", ",")...),
		"no directory":          edit(`"dir":"tenants/../fleet","path":["a"],"op":"set","value":1`),
		"directory of a la":     edit(`"dir":"tenants/acme/apps","path":["a"],"op":"set","value":1`),
		"\".\", tenants/TENANT": edit(`"dir":"/etc","path":["a"],"op":"set","value":1`),
		"or tenants/TENANT/":    edit(`"dir":"tenants/acme/apps/shop/deploy","path":["a"],"op":"set","value":1`),
		"set needs a value":     edit(`"dir":".","path":["a"],"op":"set"`),
		"path is too long":      edit(`"dir":".","path":["` + strings.Repeat("a", maxLabel+1) + `"],"op":"unset"`),
		"nested more than":      edit(`"dir":".","path":["a"],"op":"set","value":` + strings.Repeat("[", 100) + strings.Repeat("]", 100)),
		"unknown field":         edit(`"dir":".","path":["a"],"op":"unset","file":"/etc/passwd"`),
		"the path of a file in": edit(`"dir":"tenants/acme","path":["tenants/acme/apps/shop/app.cue"],"op":"text","value":""`),
		"a file in .":           edit(`"dir":".","path":["../outside.cue"],"op":"text","value":""`),
		"the text of the file":  edit(`"dir":".","path":["fleet.cue"],"op":"text","value":1`),
		"rename needs a name":   edit(`"dir":".","path":["a"],"op":"rename","value":1`),
		"is not saved":          bodyOf(`,"name":"more"`, "1"),
	} {
		require.Contains(t, refused(t, http.StatusBadRequest, c.post("preview", body)), want, body)
	}
	for _, name := range []string{"", "ui/../main", "../main", "refs/heads/main", "refs/heads/ui/x:refs/heads/main", "x:main", "+x", "x\n", "x y", "A", "-x", "x.lock", "@{u}", "x/y/z", strings.Repeat("x", 60)} {
		said, _ := json.Marshal(name)
		require.Contains(t, refused(t, http.StatusBadRequest, c.post("branches", bodyOf(`,"name":`+string(said), "1"))), "cannot name a draft", name)
	}
	long := strings.Repeat("a", maxMessage+1)
	require.Contains(t, refused(t, http.StatusBadRequest, c.post("branches", bodyOf(`,"name":"x","message":"`+long+`"`, "1"))), "the message")
	refused(t, http.StatusRequestEntityTooLarge, c.post("preview", bodyOf("", `"`+strings.Repeat("a", maxDraft)+`"`)))
	refused(t, http.StatusNotFound, c.get("source/applications/acme/%2e%2e"))
	refused(t, http.StatusMethodNotAllowed, c.get("preview"))
	require.Empty(t, d.begun, "nothing was asked")
	stranger := stranger(t, s)
	refused(t, http.StatusUnauthorized, stranger.post("branches", bodyOf(`,"name":"x"`, "1")))
	refused(t, http.StatusForbidden, c.post("branches", bodyOf(`,"name":"x"`, "1"), "Origin", "http://evil.example"))

	d.bad = fmt.Errorf("wrapped: %w", &offline.DraftError{Err: errors.New("app.cue:3:1: is computed")})
	d.proceed <- struct{}{}
	require.Contains(t, refused(t, http.StatusBadRequest, c.post("preview", bodyOf("", "1"))), "app.cue:3:1")
	d.bad = errors.New("the disk is full")
	d.proceed <- struct{}{}
	require.Contains(t, refused(t, http.StatusServiceUnavailable, c.post("branches", bodyOf(`,"name":"x"`, "1"))), "the disk is full")
	d.bad, d.panics = nil, true
	d.proceed <- struct{}{}
	require.Contains(t, refused(t, http.StatusBadRequest, c.post("preview", bodyOf("", "1"))), "edit them by hand")
	refused(t, http.StatusNotFound, c.get("source/applications/acme/none"))
}

// TestRefusedDraftsAreNotSaved: what a page says of a draft does not count.
func TestRefusedDraftsAreNotSaved(t *testing.T) {
	s, d, _ := drafting(t, 1)
	c := signedIn(t, s)
	d.refused = []model.Problem{{Code: "DA1203", Path: "application.components.web.replicas", Tenant: "acme", App: "shop"}}
	d.proceed <- struct{}{}
	d.proceed <- struct{}{}
	preview := c.post("preview", bodyOf("", "1"))
	saved := c.post("branches", bodyOf(`,"name":"x"`, "1"))
	require.Equal(t, http.StatusUnprocessableEntity, saved.Code)
	require.Equal(t, preview.Body.String(), saved.Body.String())
	var said view.Preview
	require.NoError(t, json.Unmarshal(saved.Body.Bytes(), &said))
	require.Equal(t, []string{"components", "web", "replicas"}, said.Problems[0].Field)
	require.Equal(t, "tenants/acme/apps/shop", said.Problems[0].Dir)
	require.Zero(t, s.Saver.(*saver).saved.Load())

	// The message of a commit is a text: what does not show is not in it.
	d.refused = nil
	for message, want := range map[string]string{"": "change acme/shop\n", "more\n\n\u001b[31mof it\u202e\n": "more\n\n[31mof it\n"} {
		given, _ := json.Marshal(message)
		d.proceed <- struct{}{}
		a := c.post("branches", bodyOf(`,"name":"x","message":`+string(given), "1"))
		require.Equal(t, http.StatusCreated, a.Code, a.Body)
		var made view.SavedDraft
		require.NoError(t, json.Unmarshal(a.Body.Bytes(), &made))
		require.Equal(t, want, made.Commit)
		require.Equal(t, "git push origin ui/x", made.Push)
	}
}

// TestNobodyDrafts: without a clone, or where it is not wanted.
func TestNobodyDrafts(t *testing.T) {
	s, _, _ := drafting(t, 1)
	c := signedIn(t, s)
	require.Contains(t, c.get("meta").Body.String(), `"edit": true`)
	s.ReadOnly = true
	require.Contains(t, c.get("meta").Body.String(), `"edit": false`)
	for _, path := range []string{"preview", "branches"} {
		require.Contains(t, refused(t, http.StatusForbidden, c.post(path, bodyOf("", "1"))), "--read-only")
	}
	s.workers = nil
	for _, path := range []string{"preview", "branches"} {
		require.Contains(t, refused(t, http.StatusNotImplemented, c.post(path, bodyOf("", "1"))), "needs a clone")
	}
	for _, path := range []string{"offers", "source/applications/acme/shop"} {
		require.Contains(t, refused(t, http.StatusNotImplemented, c.get(path)), "needs a clone")
	}
	require.Contains(t, c.get("schema/application").Body.String(), "#/$defs/Component")
	require.JSONEq(t, `{"schemas": ["platform", "tenant", "application"]}`, c.get("schema").Body.String())
	for _, layer := range layers {
		require.Equal(t, http.StatusOK, c.get("schema/"+layer).Code)
	}
	refused(t, http.StatusNotFound, c.get("schema/none"))
}
