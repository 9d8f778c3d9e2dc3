package dashboard

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// working is a dashboard that several people share, on which every answer takes as much CPU time as a test says.
func working(t *testing.T, each time.Duration) (c *client, now *clock, h *held, d *desk, p *proposed) {
	m := small(0, "")
	m.Ledger.Platform.Access = &model.Access{Viewers: []string{"*"}}
	h, p = newHeld(), newProposed()
	d, _ = newDesks(1)
	h.each, d.each, p.each = each, each, each
	s, now := newServer(t, &memory{moments: []Moment{m}}, h)
	s.Gate, s.Saver, s.Proposals, s.workers = asks{}, &saver{}, p, benchesOf(s, desksOf(h, p, d)...)
	return stranger(t, s), now, h, d, p
}

// desksOf returns two workers that answer alike.
func desksOf(h *held, p *proposed, d *desk) []*Desk {
	return []*Desk{{Questions: h, Plans: p, Drafts: d}, {Questions: h, Plans: p, Drafts: d}}
}

// TestWorkHasABudget: who had more than a minute of CPU time in the last minute is told when to ask again. Others go on, and so do pages.
func TestWorkHasABudget(t *testing.T) {
	c, now, h, d, p := working(t, 40*time.Second)
	asked := map[string]func(user string) *httptest.ResponseRecorder{
		"what-if": func(user string) *httptest.ResponseRecorder {
			h.proceed <- struct{}{}
			defer drain(h.proceed)
			return c.post("what-if", ask1, "Test-User", user)
		},
		"preview": func(user string) *httptest.ResponseRecorder {
			d.proceed <- struct{}{}
			defer drain(d.proceed)
			return c.post("preview", bodyOf("", "1"), "Test-User", user)
		},
		"plan": func(user string) *httptest.ResponseRecorder {
			p.proceed <- struct{}{}
			defer drain(p.proceed)
			return c.get("plan?head="+now.time().Format("150405"), "Test-User", user)
		},
	}
	for first, ask := range asked {
		t.Run(first, func(t *testing.T) {
			now.pass(time.Hour)
			require.Equal(t, http.StatusOK, ask("ada").Code)
			require.Equal(t, http.StatusOK, asked["what-if"]("ada").Code, "something is left")
			for name, again := range asked {
				if name == "plan" {
					now.pass(time.Second) // the plan of another head
				}
				w := again("ada")
				require.Contains(t, refused(t, http.StatusTooManyRequests, w), "took more than 1m0s of CPU time; ask again in ", name)
				after, err := strconv.Atoi(w.Header().Get("Retry-After"))
				require.NoError(t, err)
				require.InDelta(t, 20, after, 2, name)
			}
			require.Equal(t, http.StatusOK, c.get("fleet", "Test-User", "ada").Code)
			require.Equal(t, http.StatusOK, ask("bob").Code)
			now.pass(21 * time.Second)
			require.Equal(t, http.StatusOK, ask("ada").Code)
		})
	}
}

// drain takes back what nobody asked for.
func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// TestPlansThatAreMadeCostNothing: a plan that goes on while nobody waits is there for who asks again, whatever it cost.
func TestPlansThatAreMadeCostNothing(t *testing.T) {
	c, now, _, _, p := working(t, 90*time.Second)
	p.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, c.get("plan?head=a", "Test-User", "ada").Code)
	require.Equal(t, http.StatusOK, c.get("plan?head=a", "Test-User", "ada").Code)
	refused(t, http.StatusTooManyRequests, c.get("plan?head=b", "Test-User", "ada"))
	now.pass(2 * time.Minute)
	p.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, c.get("plan?head=b", "Test-User", "ada").Code)
}

// TestOneAtATimeForAPerson: what somebody asks waits for what they asked before, of any kind, and keeps a place free for others; two are
// answered at a time.
func TestOneAtATimeForAPerson(t *testing.T) {
	c, _, h, d, p := working(t, 0)
	var all sync.WaitGroup
	ok := func(ask func() *httptest.ResponseRecorder) {
		all.Go(func() {
			w := ask()
			require.Equal(t, http.StatusOK, w.Code, w.Body)
		})
	}
	ok(func() *httptest.ResponseRecorder { return c.get("plan?head=a", "Test-User", "ada") })
	<-p.begun
	ok(func() *httptest.ResponseRecorder { return c.post("what-if", ask1, "Test-User", "ada") }) // waits for her plan
	ok(func() *httptest.ResponseRecorder { return c.post("preview", bodyOf("", "1"), "Test-User", "bob") })
	<-d.begun
	ok(func() *httptest.ResponseRecorder { return c.post("what-if", ask1, "Test-User", "eve") }) // waits for a place
	require.Empty(t, h.begun)
	d.proceed <- struct{}{}
	<-h.begun // hers: ada still has her plan
	h.proceed <- struct{}{}
	p.proceed <- struct{}{}
	<-h.begun
	h.proceed <- struct{}{}
	all.Wait()
}

// TestWhoWaitsLongIsToldWhen: places are given in the order of who asks. Who gets none within the time of an answer is told when to ask again, and is
// answered then; the page does so by itself.
func TestWhoWaitsLongIsToldWhen(t *testing.T) {
	m := small(0, "")
	m.Ledger.Platform.Access = &model.Access{Viewers: []string{"*"}}
	h, p := newHeld(), newProposed()
	d, _ := newDesks(1)
	s, _ := newServer(t, &memory{moments: []Moment{m}}, h)
	s.Gate, s.Saver, s.Proposals, s.answerIn, s.workers = asks{}, &saver{}, p, time.Minute, benchesOf(s, desksOf(h, p, d)...)
	c := stranger(t, s)
	var all sync.WaitGroup
	all.Go(func() { require.Equal(t, http.StatusOK, c.get("plan?head=a", "Test-User", "ada").Code) })
	<-p.begun
	all.Go(func() { require.Equal(t, http.StatusOK, c.post("preview", bodyOf("", "1"), "Test-User", "bob").Code) })
	<-d.begun
	s.answerIn = 20 * time.Millisecond
	w := c.post("what-if", ask1, "Test-User", "eve")
	require.Contains(t, refused(t, http.StatusServiceUnavailable, w), "others asked first; ask again in 2 s")
	require.Equal(t, "2", w.Header().Get("Retry-After"))
	s.answerIn = time.Minute
	d.proceed <- struct{}{}
	h.proceed <- struct{}{}
	require.Equal(t, http.StatusOK, c.post("what-if", ask1, "Test-User", "eve").Code)
	p.proceed <- struct{}{}
	all.Wait()
}

// TestBudgetsForgetWhoRests: what is kept of people does not grow with those who asked some time ago.
func TestBudgetsForgetWhoRests(t *testing.T) {
	now := &clock{now: began}
	b := newBudgets(now.time)
	for i := range 100 {
		b.charge(strconv.Itoa(i), time.Second)
	}
	require.Len(t, b.spent, 100)
	now.pass(2 * time.Second)
	b.charge("ada", time.Minute)
	require.Len(t, b.spent, 1)
	require.Error(t, b.left("ada"))
	require.NoError(t, b.left("bob"))
	now.pass(-time.Hour)
	require.Error(t, b.left("ada"), "a clock that is put back gives nothing back")
}
