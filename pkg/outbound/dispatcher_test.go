package outbound

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

func TestAnyAnswerIsAResult(t *testing.T) {
	s := receive(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "short\x1b[31m and\nstout\x00")
	})
	require.Equal(t, workflow.Result{Key: "a", OK: true, Status: 418, Body: "short [31m and\nstout "}, one(t, Options{}, probeOf("a", s.URL+"/x?y=z")))
	require.Equal(t, "/x?y=z", s.seen()[0].RequestURI)
}

func TestNoAnswerIsAFailure(t *testing.T) {
	s := receive(t, nil)
	s.Close()
	r := one(t, Options{}, probeOf("a", s.URL))
	require.False(t, r.OK)
	require.Equal(t, ClassUnreachable, r.Class)
	require.Contains(t, r.Message, "refused")
}

func TestQuery(t *testing.T) {
	s := receive(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1435781451.781,"0.25"]}]}}`)
	})
	task := probeOf("a", "")
	task.Intent.Probe = &workflow.Probe{Prometheus: s.URL + "/prom/", Query: `sum(rate(x{a="b"}[5m]))`}
	require.Equal(t, workflow.Result{Key: "a", OK: true, Status: 200, Value: 0.25}, one(t, Options{}, task))
	asked := s.seen()[0]
	require.Equal(t, "/prom/api/v1/query", asked.URL.Path)
	require.Equal(t, `sum(rate(x{a="b"}[5m]))`, asked.URL.Query().Get("query"))
}

// What is due no more ends, and its result is gone.
func TestWhatIsNotDueEnds(t *testing.T) {
	ended := make(chan struct{})
	begun := make(chan struct{})
	s := receive(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(ended)
	})
	quick := receive(t, nil)
	d := open(t, Options{})
	d.Do([]Task{probeOf("slow", s.URL), probeOf("quick", quick.URL)})
	<-begun
	require.Len(t, finish(t, d, 1), 1)
	d.Do(nil)
	<-ended
	require.Empty(t, d.Results())
}

// The same task given again is the same errand: it is not done twice.
func TestTwiceIsOnce(t *testing.T) {
	s := receive(t, nil)
	d := open(t, Options{})
	for range 3 {
		d.Do([]Task{probeOf("a", s.URL)})
		finish(t, d, 1)
	}
	require.Len(t, s.seen(), 1)
	d.Do([]Task{probeOf("b", s.URL)})
	require.Equal(t, "b", finish(t, d, 1)[0].Key)
}

// No tenant has more than its places, so that the others find some.
func TestPlaces(t *testing.T) {
	var now, most atomic.Int32
	leave := make(chan struct{})
	s := receive(t, func(int, http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-leave
		now.Add(-1)
	})
	other := receive(t, nil)
	d := open(t, Options{})
	var tasks []Task
	for i := range 20 {
		tasks = append(tasks, probeOf(fmt.Sprint(i), s.URL))
	}
	quick := probeOf("other", other.URL)
	quick.App = model.AppID{Tenant: "beta", Name: "blog"}
	d.Do(append(tasks, quick))
	require.Equal(t, "other", finish(t, d, 1)[0].Key)
	require.Eventually(t, func() bool { return most.Load() == maxTenantRequests }, 2*time.Minute, time.Millisecond)
	close(leave)
	require.Len(t, finish(t, d, 21), 21)
	require.EqualValues(t, maxTenantRequests, most.Load())
}

func TestDeadline(t *testing.T) {
	s := receive(t, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	clock := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	task := probeOf("a", s.URL)
	task.Intent.Deadline = clock.Add(50 * time.Millisecond)
	r := one(t, Options{Now: func() time.Time { return clock }}, task)
	require.Equal(t, workflow.Result{Key: "a", Class: workflow.ClassTimeout, Message: "no answer in time"}, r)
}

func TestJobsAreForOthers(t *testing.T) {
	d := open(t, Options{})
	d.Do([]Task{{App: shop, Intent: workflow.Intent{Key: "j", Job: &workflow.Job{Component: "migrate"}}}})
	require.Empty(t, d.requests)
}
