package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

// proposed are heads whose plans are made when a test says so, or never if their contexts end.
type proposed struct {
	begun   chan string
	proceed chan struct{}
	made    atomic.Int32
	worked
}

func newProposed() *proposed {
	return &proposed{begun: make(chan string, 100), proceed: make(chan struct{}, 100)}
}

func (p *proposed) Heads(context.Context) (view.Heads, error) {
	return view.Heads{Base: "main", Heads: []view.Head{}}, nil
}

func (p *proposed) Find(_ context.Context, name string) (head view.Head, base string, err error) {
	if name == "" {
		return head, "", errors.New("it has no name")
	}
	return view.Head{Name: name, Commit: "1"}, "2", nil
}

func (p *proposed) Touches(_ context.Context, commits []string) ([][]string, error) {
	return make([][]string, len(commits)), nil
}

func (p *proposed) Plan(ctx context.Context, _ offline.Recorded, _ time.Time, head string) (made plan.Comparison, err error) {
	p.begun <- head
	p.work()
	select {
	case <-p.proceed:
		p.made.Add(1)
		return plan.Comparison{After: plan.Side{Name: head}}, nil
	case <-ctx.Done():
		return made, ctx.Err()
	}
}

// TestOnePlanForASession: the plan of another head ends the one before, the same one is made once, and others wait.
func TestOnePlanForASession(t *testing.T) {
	p := newProposed()
	s, now := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	s.Proposals, s.workers = p, benchesOf(s, &Desk{Plans: p})
	c := signedIn(t, s)
	now.pass(betweenSigns)
	other := signedIn(t, s)
	ask := func(c *client, head string) <-chan *httptest.ResponseRecorder {
		answered := make(chan *httptest.ResponseRecorder, 1)
		go func() { answered <- c.get("plan?head=" + head) }()
		return answered
	}
	first := ask(c, "a")
	require.Equal(t, "a", <-p.begun)
	second := ask(c, "b")
	refused(t, http.StatusConflict, <-first)
	require.Equal(t, "b", <-p.begun)
	again, theirs := ask(c, "b"), ask(other, "b")
	p.proceed <- struct{}{}
	one, same := <-second, <-again
	require.Equal(t, http.StatusOK, one.Code, one.Body)
	require.Equal(t, one.Body.String(), same.Body.String())
	require.Equal(t, "b", <-p.begun, "that of the other browser, after this one")
	p.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, (<-theirs).Code)
	require.Equal(t, http.StatusNotModified, c.get("plan?head=b", "If-None-Match", one.Header().Get("ETag")).Code, "it was made a moment ago")
	require.EqualValues(t, 2, p.made.Load())
	now.pass(2 * maxPlanAge)
	p.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, c.get("plan?head=b").Code)
	require.EqualValues(t, 3, p.made.Load(), "holds may have ended by now")
	refused(t, http.StatusNotFound, c.get("plan"))
}

// TestPlansHaveLimits: a heavy head is given up; one that takes long goes on and is there for the next question.
func TestPlansHaveLimits(t *testing.T) {
	p := newProposed()
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	s.Proposals, s.workers, s.answerIn = p, benchesOf(s, &Desk{Plans: p}), time.Millisecond
	c := signedIn(t, s)
	require.Contains(t, refused(t, http.StatusServiceUnavailable, c.get("plan?head=slow")), "it goes on, so ask again")
	p.proceed <- struct{}{}
	s.answerIn = time.Minute
	require.Equal(t, http.StatusOK, c.get("plan?head=slow").Code)
	require.EqualValues(t, 1, p.made.Load())
	s.planIn = time.Millisecond
	require.Contains(t, refused(t, http.StatusServiceUnavailable, c.get("plan?head=bomb")), "was given up")

	s.Proposals = nil
	refused(t, http.StatusNotImplemented, c.get("plan?head=a"))
	refused(t, http.StatusNotImplemented, c.get("heads"))
}

// TestLinks: what the platform declares comes before what follows from the address of the repo.
func TestLinks(t *testing.T) {
	m := small(0, "")
	m.Ledger.Platform.Links.Commit = "https://git.example.com/{commit}"
	s, _ := newServer(t, &memory{moments: []Moment{m}}, nil)
	s.Links = model.LinksOf("https://github.com/acme/fleet", "status")
	said := signedIn(t, s).get("meta").Body.String()
	require.Contains(t, said, `"commit": "https://git.example.com/{commit}"`)
	require.Contains(t, said, `"file": "https://github.com/acme/fleet/blob/{commit}/{path}#L{line}"`)
	require.Contains(t, said, `"sourceCommit": "`+m.Ledger.Commit+`"`)
}
