package nomad

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/nomadtest"
)

// TestServerThatMisbehaves: however a server fails, be it at each request or at those that change something only, an
// act says so in one sentence without the token, nothing counts as done, and the same act is carried out when the
// server is well again. Nobody that an answer leads to is asked.
func TestServerThatMisbehaves(t *testing.T) {
	const token = "CANARY-5e1f"
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(token), 0o600))
	var followed atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(elsewhere.Close)
	megabyte := []byte(strings.Repeat(" ", 1<<20))

	for name, c := range map[string]struct {
		fault   http.HandlerFunc
		says    string
		reading bool          // it is a fault of lists only
		within  time.Duration // an answer is awaited
	}{
		"slow":     {fault: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, says: "deadline exceeded", within: 300 * time.Millisecond},
		"trickles": {fault: trickle, says: "deadline exceeded", within: 300 * time.Millisecond},
		"hangs up": {fault: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, says: "ask Nomad: "},
		"fails":    {fault: answer(http.StatusInternalServerError, "no cluster leader"), says: "Nomad answers 500: no cluster leader"},
		"is away":  {fault: answer(http.StatusBadGateway, "<html>\x1b[2Jbad\ngateway"), says: "Nomad answers 502: <html>"},
		"is busy":  {fault: answer(http.StatusTooManyRequests, "busy"), says: "Nomad answers 429: busy"},
		"tells the token": {
			fault: func(w http.ResponseWriter, r *http.Request) {
				http.Error(w, "token "+r.Header.Get("X-Nomad-Token")+" has no rights", http.StatusInternalServerError)
			},
			says: "Nomad answers 500: token … has no rights",
		},
		"leads elsewhere": {
			fault: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			},
			says: "Nomad answers 307",
		},
		"garbage":      {fault: answer(http.StatusOK, "\x00\xff<html>"), says: "is not of its form"},
		"nothing":      {fault: answer(http.StatusOK, ""), says: "is not of its form"},
		"another form": {fault: answer(http.StatusOK, `"a text"`), says: "is not of its form"},
		"huge": {
			fault: func(w http.ResponseWriter, _ *http.Request) {
				for range maxAnswer>>20 + 2 {
					_, _ = w.Write(megabyte)
				}
			},
			says: "is larger than 64 MiB",
		},
		"pages without end": {
			fault: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Nomad-NextToken", "more")
				_, _ = w.Write([]byte("[]"))
			},
			says: "more than 100000 jobs are in Nomad", reading: true,
		},
		"large pages": {
			fault: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Nomad-NextToken", "more")
				_, _ = w.Write(megabyte)
				_, _ = w.Write([]byte("[]"))
			},
			says: "the list of jobs in Nomad is larger than 3 MiB", reading: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, only := range []string{"", http.MethodPost} {
				if only != "" && c.reading {
					continue
				}
				var faulty atomic.Bool
				s := nomadtest.New()
				s.Token = token
				front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if faulty.Load() && (only == "" || only == r.Method) && !r.URL.Query().Has("wait") {
						_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that nobody waits
						c.fault(w, r)
						return
					}
					s.ServeHTTP(w, r)
				}))
				r, err := New(Options{Address: front.URL, TokenFile: file, Fleet: "fleet", Within: c.within})
				require.NoError(t, err)
				t.Cleanup(func() { r.Close(); front.CloseClientConnections(); front.Close() })
				act := func(replicas int) runtime.Report {
					return r.Act(t.Context(), []runtime.Assignment{assign(shop, replicas, "web")})
				}
				require.Eventually(t, func() bool { report := act(1); return report.Err == nil && report.Outcomes[0].OK() }, time.Minute, time.Millisecond)

				faulty.Store(true)
				r.c.most = 3 << 20
				report := act(2)
				err = report.Err
				if err == nil {
					require.False(t, report.Outcomes[0].OK(), "%+v", report)
					err = report.Outcomes[0].Err
				}
				require.ErrorContains(t, err, c.says)
				require.NotContains(t, err.Error(), token)
				require.NotContains(t, err.Error(), "\n")
				require.Empty(t, report.Outcomes[0].Results)
				if only == "" {
					_, err = r.Inspect(t.Context(), platform)
					require.Error(t, err)
					require.NotContains(t, err.Error(), token)
					require.Empty(t, r.Drifted(), "it is not known")
				}

				faulty.Store(false)
				for limit := time.Now().Add(time.Minute); ; { // a short limit may be too short for a busy machine now and then
					if report = act(2); report.Err == nil || time.Now().After(limit) {
						break
					}
				}
				require.NoError(t, report.Err)
				require.True(t, report.Outcomes[0].OK(), "%+v", report)
				s.Lock()
				require.Len(t, s.Jobs, 1)
				require.InDelta(t, 2, s.Jobs["acme/shop.web"]["TaskGroups"].([]any)[0].(map[string]any)["Count"], 0)
				s.Unlock()
			}
		})
	}
	require.False(t, followed.Load())
}

// answer always answers this.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// trickle sends a byte now and then, for as long as somebody reads.
func trickle(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for r.Context().Err() == nil {
		_, _ = w.Write([]byte(" "))
		w.(http.Flusher).Flush()
		<-tick.C
	}
}
