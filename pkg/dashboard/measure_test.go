package dashboard

import (
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/fleettest"
)

var apps = flag.Int("apps", 0, "measure the dashboard of a fleet of so many applications in 100 tenants")

// TestMeasure prints what answers cost the server in CPU time: make bench-ui.
func TestMeasure(t *testing.T) {
	if *apps == 0 {
		t.Skip("without -apps (make bench-ui): evaluates thousands of applications, and prints what that takes")
	}
	repo := fleettest.Large(t, *apps)
	tree, err := clone.Open(t.Context(), repo.Dir)
	require.NoError(t, err)
	defer tree.Close()
	rec := offline.Recorded{}
	base, err := offline.OpenBase(t.Context(), offline.Options{Child: []string{evaluators.Child(t)}, Fleet: "fleet"}, offline.Case{Tree: tree, StatusBranch: "status"}, "")
	require.NoError(t, err)
	defer base.Close()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	measure("the first question: evaluate and decide, without the children", 1, func() { require.NoError(t, base.Follow(t.Context(), rec, now)) })
	for range 4 { // passes: until everything that fits has a grant
		nothing, err := base.WhatIf(t.Context(), nil, nil)
		require.NoError(t, err)
		now = now.Add(time.Second)
		rec = offline.Recorded{Commit: strings.Repeat("a", 39) + fmt.Sprint(now.Second()%10), Ledger: nothing.Next}
		measure("a new status commit: evaluate nothing, decide", 1, func() { require.NoError(t, base.Follow(t.Context(), rec, now)) })
	}

	branch := &memory{moments: []Moment{{Commit: rec.Commit, Time: now, Ledger: &rec.Ledger}}}
	s, err := New(Options{
		Branch: branch, Workers: []Worker{&Desk{Branch: branch, Questions: followed{base}, Worked: func() time.Duration { return 0 }}}, Pages: fstest.MapFS{"index.html": {}}, Token: "t", Now: time.Now,
	})
	require.NoError(t, err)
	s.running = t.Context()
	s.follower.look(t.Context())
	c := signedIn(t, s)
	all, err := view.JSON(view.StatusOf(&rec.Ledger, view.Selection{}))
	require.NoError(t, err)
	fmt.Printf("%-70s %9d kB, %d kB compressed\n", "for comparison: the JSON of status, all applications", len(all)>>10, zipped(all)>>10)
	for _, path := range []string{
		"fleet", "applications", "applications?sort=since&phase=unwell", "applications?q=app-7&limit=200", "applications?tenant=t07&limit=200",
		"applications/t07/app-7", "applications/t07/app-7/decision", "tenants/t07", "pools", "problems",
	} {
		var w *httptest.ResponseRecorder
		measure("GET "+path, 5, func() { w = c.get(path) })
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		fmt.Printf("%-70s %9d kB, %d kB compressed\n", "", w.Body.Len()>>10, zipped(w.Body.Bytes())>>10)
		tag := w.Header().Get("ETag")
		measure("… that did not change", 5, func() { w = c.get(path, "If-None-Match", tag) })
		require.Equal(t, http.StatusNotModified, w.Code)
	}
	for i, set := range []string{"application.t07/app-7.components.web.replicas=%d", "tenant.t07.quota.cpu=%d", "application.t07/app-7.priority=%d"} {
		n := 0
		measure("what-if "+set, 5, func() {
			n++
			w := c.post("what-if", fmt.Sprintf(`{"set":[%q]}`, fmt.Sprintf(set, 1+i*3+n)))
			require.Equal(t, http.StatusOK, w.Code, w.Body)
		})
	}
	measure("what-if general.cpu=-10 %", 3, func() {
		w := c.post("what-if", fmt.Sprintf(`{"capacity":["general.cpu=-%d"]}`, *apps/10))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		fmt.Printf("%-70s %9d kB, %d kB compressed\n", "", w.Body.Len()>>10, zipped(w.Body.Bytes())>>10)
	})
	draft := offline.Draft{}
	for i := range 4 { // the first one makes what the others share
		draft.Edits = []offline.DraftEdit{{Dir: "tenants/t07/apps/app-7", Edit: cuefile.Edit{Path: []string{"application", "components", "web", "replicas"}, Op: cuefile.Set, Value: 2 + i}}}
		measure("preview of one edit: splice, evaluate, decide, compare", 1, func() {
			p, err := base.Preview(t.Context(), draft)
			require.NoError(t, err)
			require.True(t, p.Saves(), "%v", p.Problems)
			said, _, err := previewOf(p)
			require.NoError(t, err)
			body, err := view.JSON(said)
			require.NoError(t, err)
			fmt.Printf("%-70s %9d kB, %d kB compressed\n", "", len(body)>>10, zipped(body)>>10)
		})
	}
	s.work.Wait()
	idle(s, c)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("%-70s %9d MiB live\n", "memory: the ledger, the fleet, the base and what rendering keeps", m.HeapAlloc>>20)
}

// idle prints what clients cost that wait for the next commit, of whom each has a stream.
func idle(s *Server, c *client) {
	const clients, seconds = 100, 20
	s.streams, s.pace.most = make(chan struct{}, clients), clients
	ctx, leave := context.WithTimeout(c.t.Context(), seconds*time.Second)
	defer leave()
	open := 0
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/api/v1/stream", nil)
			r.AddCookie(c.cookie)
			c.handler.ServeHTTP(flowing{httptest.NewRecorder(), func() {}}, r)
		})
	}
	require.Eventually(c.t, func() bool { open = len(s.streams); return open == clients }, time.Minute, time.Millisecond)
	before := cpuTime()
	all.Wait()
	fmt.Printf("%-70s %9.3f %% of a core\n", fmt.Sprintf("%d clients that wait", open), 100*(cpuTime()-before).Seconds()/seconds)
}

// measure prints the CPU time of this process, and the time, for each of some rounds.
func measure(what string, rounds int, do func()) {
	cpu, began := cpuTime(), time.Now()
	for range rounds {
		do()
	}
	n := time.Duration(rounds)
	fmt.Printf("%-70s %9.1f ms CPU %9.1f ms\n", what, float64((cpuTime()-cpu)/n)/1e6, float64(time.Since(began)/n)/1e6)
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func zipped(b []byte) int {
	var n counter
	z := gzip.NewWriter(&n)
	_, _ = z.Write(b)
	_ = z.Close()
	return int(n)
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// followed is a base that is up to date.
type followed struct{ *offline.Base }

func (followed) Follow(context.Context, offline.Recorded, time.Time) error { return nil }
