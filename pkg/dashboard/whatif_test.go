package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
)

// held are questions that are answered when a test says so.
type held struct {
	begun   chan int      // one element for each question that begins, its number of settings
	proceed chan struct{} // one element lets one go on
	mu      sync.Mutex
	at      int // questions at the moment
	most    int
	bad     error
	worked
}

// worked is the CPU time of evaluators that do not exist.
type worked struct {
	each  time.Duration // of one answer
	total atomic.Int64
}

// work is that of one answer.
func (w *worked) work() { w.total.Add(int64(w.each)) }

func (w *worked) Worked() time.Duration { return time.Duration(w.total.Load()) }

func newHeld() *held { return &held{begun: make(chan int, 100), proceed: make(chan struct{}, 100)} }

func (h *held) Follow(context.Context, offline.Recorded, time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at++
	h.most = max(h.most, h.at)
	return nil
}

func (*held) Unlooked(string, time.Time) bool { return false }

func (*held) Unchanged(context.Context) bool { return false }

func (h *held) WhatIf(ctx context.Context, settings []offline.Setting, _ []offline.Capacity) (plan.Comparison, error) {
	defer func() {
		h.mu.Lock()
		h.at--
		h.mu.Unlock()
	}()
	h.begun <- len(settings)
	<-h.proceed
	h.work()
	return plan.Comparison{}, h.bad
}

// broken is what has a bug.
type broken struct {
	*held
	proposed *proposed
}

func (broken) WhatIf(context.Context, []offline.Setting, []offline.Capacity) (plan.Comparison, error) {
	panic("a bug")
}

func (broken) Plan(context.Context, offline.Recorded, time.Time, string) (plan.Comparison, error) {
	panic("a bug")
}

// TestABugInAnAnswerEndsThatAnswer: what decides about files of people must not end the pages of others.
func TestABugInAnAnswerEndsThatAnswer(t *testing.T) {
	b := broken{newHeld(), newProposed()}
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, b)
	s.Proposals, s.workers = b.proposed, benchesOf(s, &Desk{Questions: b, Plans: b})
	c := signedIn(t, s)
	for range 3 { // no place is lost
		refused(t, http.StatusBadRequest, c.post("what-if", ask1))
		refused(t, http.StatusBadRequest, c.get("plan?head=a"))
	}
	require.Equal(t, http.StatusOK, c.get("fleet").Code)
}

// changed is files that change once, after the first question.
type changed struct {
	*held
	followed, looked int
}

func (c *changed) Follow(context.Context, offline.Recorded, time.Time) error {
	c.followed++
	return nil
}

func (c *changed) Unlooked(string, time.Time) bool { return c.followed > 0 }

func (c *changed) Unchanged(context.Context) bool {
	c.looked++
	return c.looked > 1
}

func (c *changed) WhatIf(context.Context, []offline.Setting, []offline.Capacity) (plan.Comparison, error) {
	return plan.Comparison{}, nil
}

// TestStaleAnswersAreMadeAgain: the files are looked at beside an answer. Whoever asks gets an answer about the files as they are now, and
// hears nothing of one about files before that.
func TestStaleAnswersAreMadeAgain(t *testing.T) {
	files := &changed{held: newHeld()}
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, files)
	s.workers = benchesOf(s, &Desk{Questions: files})
	c := signedIn(t, s)
	for _, want := range []struct{ followed, looked int }{{1, 0}, {2, 1}, {2, 2}} { // followed first, changed, and as they were
		require.Equal(t, http.StatusOK, c.post("what-if", ask1).Code)
		require.Equal(t, want.followed, files.followed)
		require.Equal(t, want.looked, files.looked)
	}
}

const ask1 = `{"set":["tenant.acme.weight=2"]}`

// TestNewestQuestionWins: a browser that moves a slider gets the answer to its last question, others wait for theirs.
func TestNewestQuestionWins(t *testing.T) {
	h := newHeld()
	s, now := newServer(t, &memory{moments: []Moment{small(0, "")}}, h)
	c := signedIn(t, s)
	now.pass(betweenSigns)
	other := signedIn(t, s)
	ask := func(c *client) <-chan *httptest.ResponseRecorder {
		answered := make(chan *httptest.ResponseRecorder, 1)
		go func() { answered <- c.post("what-if", ask1) }()
		return answered
	}
	first := ask(c)
	<-h.begun
	second := ask(c)
	refused(t, http.StatusConflict, <-first) // although it still computes
	theirs := ask(other)
	third := ask(c)
	refused(t, http.StatusConflict, <-second) // it never began
	h.proceed <- struct{}{}
	h.proceed <- struct{}{}
	h.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, (<-theirs).Code)
	require.Equal(t, http.StatusOK, (<-third).Code)
	require.Equal(t, 1, h.most, "nobody asks two at a time")
}

// TestQuestionsHaveALimit: a question that takes too long is given up, and does not keep the next one out for ever.
func TestQuestionsHaveALimit(t *testing.T) {
	h := newHeld()
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, h)
	s.answerIn = time.Millisecond
	c := signedIn(t, s)
	require.Contains(t, refused(t, http.StatusServiceUnavailable, c.post("what-if", ask1)), "ask again")
	h.proceed <- struct{}{}
	s.answerIn = time.Minute
	h.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, c.post("what-if", ask1).Code)
}

func TestBadQuestions(t *testing.T) {
	h := newHeld()
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, h)
	c := signedIn(t, s)
	many := strings.Repeat(`"tenant.acme.weight=2",`, maxSettings)
	for _, body := range []string{
		"", "{}", "[]", `{"set":[]}`, `{"set":["tenant.acme.weight"]}`, `{"capacity":["general=1"]}`, `{"set":[` + many + `"a=b"]}`, `{"sets":["a=b"]}`, ask1 + ask1,
	} {
		refused(t, http.StatusBadRequest, c.post("what-if", body))
	}
	refused(t, http.StatusRequestEntityTooLarge, c.post("what-if", `{"set":["`+strings.Repeat("a", maxQuestion)+`=1"]}`))
	require.Empty(t, h.begun, "nothing was asked")

	h.bad = fmt.Errorf("wrapped: %w", &offline.SettingError{Err: errors.New("changes nothing")})
	h.proceed <- struct{}{}
	require.Contains(t, refused(t, http.StatusBadRequest, c.post("what-if", ask1)), "changes nothing")
	h.bad = errors.New("the disk is full")
	h.proceed <- struct{}{}
	require.Contains(t, refused(t, http.StatusServiceUnavailable, c.post("what-if", ask1)), "the disk is full")
}
