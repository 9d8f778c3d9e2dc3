package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// refused requires an error that is JSON and nothing that a browser would show or run.
func refused(t *testing.T, status int, w *httptest.ResponseRecorder) string {
	t.Helper()
	r := w.Result()
	require.Equal(t, status, r.StatusCode, "%s", w.Body)
	require.Equal(t, "application/json; charset=utf-8", r.Header.Get("Content-Type"))
	require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"))
	var said struct {
		Error string `json:"error"`
	}
	require.NoError(t, json.NewDecoder(r.Body).Decode(&said))
	require.NotEmpty(t, said.Error)
	return said.Error
}

// TestHosts: a name that was pointed at this machine is not answered, whatever it asks for and whoever has signed in.
func TestHosts(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	c := signedIn(t, s)
	for _, name := range []string{host, "localhost:8421", "LOCALHOST:8421", "[::1]:8421"} {
		require.Equal(t, http.StatusOK, c.get("fleet", "Host", name).Code, name)
	}
	for _, name := range []string{"evil.example:8421", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1.evil.example:8421", "0.0.0.0:8421", "", "localhost:8421.evil.example"} {
		for _, path := range []string{"/", "/api/v1/fleet", "/assets/app-1a2.js"} {
			refused(t, http.StatusMisdirectedRequest, c.do(http.MethodGet, path, "", "Host", name))
		}
		refused(t, http.StatusMisdirectedRequest, c.post("session", `{"token":"the-token"}`, "Host", name))
	}
	require.Contains(t, hostsOf("127.0.0.1:80"), "localhost")
}

// TestForeignOrigins: another site cannot make a browser ask or sign in.
func TestForeignOrigins(t *testing.T) {
	s, now := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	c := signedIn(t, s)
	now.pass(betweenSigns)
	for _, h := range [][]string{
		{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:9999"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
	} {
		refused(t, http.StatusForbidden, c.post("what-if", `{"set":["tenant.acme.weight=2"]}`, h...))
		refused(t, http.StatusForbidden, c.post("session", `{"token":"the-token"}`, h...))
	}
	refused(t, http.StatusNotImplemented, c.post("what-if", `{"set":["tenant.acme.weight=2"]}`, "Origin", "http://"+host, "Sec-Fetch-Site", "same-origin"))
}

// TestSignIn: only the token lets a browser in, once in five seconds, and only its cookie after that.
func TestSignIn(t *testing.T) {
	s, now := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	c := stranger(t, s)
	for _, path := range []string{"fleet", "meta", "stream", "nothing", "session"} {
		refused(t, http.StatusUnauthorized, c.get(path))
	}
	require.Equal(t, http.StatusOK, c.do(http.MethodGet, "/", "").Code, "the page itself holds nothing")
	for _, body := range []string{`{"token":"the-toke"}`, `{"token":"the-token "}`, `{"token":""}`, `{}`} {
		refused(t, http.StatusForbidden, c.post("session", body))
	}
	for _, body := range []string{"", "the-token", `{"token":1}`, `{"token":"the-token","more":1}`, `{"token":"the-token"}{}`} {
		refused(t, http.StatusBadRequest, c.post("session", body))
	}
	refused(t, http.StatusRequestEntityTooLarge, c.post("session", `{"token":"`+strings.Repeat("a", maxTokenBody)+`"}`))

	c = signedIn(t, s)
	require.True(t, c.cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, c.cookie.SameSite)
	require.Equal(t, "/", c.cookie.Path)
	require.Equal(t, "daros_session_8421", c.cookie.Name, "another dashboard has another port")
	require.NotContains(t, c.cookie.Value, s.Token)
	require.Equal(t, http.StatusOK, c.get("fleet").Code)

	replay := stranger(t, s).post("session", `{"token":"the-token"}`)
	refused(t, http.StatusTooManyRequests, replay)
	require.Equal(t, "5", replay.Header().Get("Retry-After"))
	now.pass(betweenSigns)
	signedIn(t, s) // another browser

	other, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	elsewhere := signedIn(t, other)
	elsewhere.handler = c.handler
	refused(t, http.StatusUnauthorized, elsewhere.get("fleet"))

	for range maxSessions {
		now.pass(betweenSigns)
		signedIn(t, s)
	}
	refused(t, http.StatusUnauthorized, c.get("fleet"))
	require.Len(t, s.sessions.open, maxSessions)
}

// TestPaths: no path leads out of the routes, and no moment is found by anything but its full commit.
func TestPaths(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, ""), small(1, "")}}, nil)
	c := signedIn(t, s)
	for _, path := range []string{
		"applications/../..", "applications/acme/../../../etc/passwd", "applications/acme/..", "applications/acme%2Fshop/x", "applications/acme/shop%2F..",
		"applications/%2e%2e/%2e%2e", "applications/acme/sh%00op", "applications/ACME/shop", "applications/acme/<script>alert(1)<%2fscript>",
		"tenants/..", "tenants/%2e%2e", "tenants/a%2Fb", "tenants/none", "applications/acme/none", "applications//shop", "nothing", "",
	} {
		refused(t, http.StatusNotFound, c.get(path))
	}
	broken := small(0, "")
	broken.Ledger.Problems = []model.Problem{{Code: "DA1001"}} // which is about every application
	other, _ := newServer(t, &memory{moments: []Moment{broken}}, nil)
	for _, path := range []string{"applications/acme%2Fshop/x", "applications/acme/shop%2F..", "applications/ACME/shop", "applications/acme/a%00"} {
		refused(t, http.StatusNotFound, signedIn(t, other).get(path))
		other.sessions.last = time.Time{}
	}
	for _, at := range []string{"main", "refs/heads/status", "HEAD", "HEAD~1", "../..", commit(0)[:39], strings.ToUpper(commit(0)), commit(0) + "^", "--all", "a b"} {
		at = strings.ReplaceAll(at, " ", "%20")
		refused(t, http.StatusBadRequest, c.get("fleet?at="+at))
		refused(t, http.StatusBadRequest, c.get("timeline?before="+at))
		refused(t, http.StatusBadRequest, c.get("changes?from="+at))
		refused(t, http.StatusBadRequest, c.get("changes?from="+commit(0)+"&to="+at))
	}
	for _, path := range []string{"fleet?at=", "timeline?before=", "changes?from="} {
		refused(t, http.StatusNotFound, c.get(path+commit(5)))
	}
	for _, q := range []string{"limit=0", "limit=201", "limit=x", "sort=worst", "phase=running", "after=x", "after=1/2/3/4", "q=" + strings.Repeat("a", maxText+1), strings.Repeat("phase=Running&", maxPhases+1)} {
		refused(t, http.StatusBadRequest, c.get("applications?"+q))
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		w := c.do(method, "/api/v1/fleet", "")
		refused(t, http.StatusMethodNotAllowed, w)
		require.Equal(t, http.MethodGet, w.Header().Get("Allow"))
	}
	refused(t, http.StatusMethodNotAllowed, c.get("what-if"))
	refused(t, http.StatusMethodNotAllowed, c.do(http.MethodPost, "/", ""))
}

// TestHostileText: what people wrote leaves as a JSON string, whatever it holds.
func TestHostileText(t *testing.T) {
	const text = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \x1b[31m \u202e \u2028 \x00 \" \\ {{nonce}}"
	m := small(0, text)
	s, _ := newServer(t, &memory{moments: []Moment{m}}, nil)
	c := signedIn(t, s)
	for _, path := range []string{"applications", "applications/acme/shop", "applications/acme/shop/decision", "applications?q=%3Cscript%3E"} {
		w := c.get(path)
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "application/json; charset=utf-8", w.Header().Get("Content-Type"))
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		require.Equal(t, policy, w.Header().Get("Content-Security-Policy"))
		var said any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &said))
		require.Contains(t, fmt.Sprint(said), text)
		require.NotContains(t, w.Body.String(), "\x1b")
		require.NotContains(t, w.Body.String(), "\x00")
	}
	said := refused(t, http.StatusBadRequest, c.get("applications?sort=%1b%5b31m%3Cb%3E"))
	require.NotContains(t, said, "\x1b")
}

// TestPage: every path that is no file shows the page, with a nonce that no other answer has.
func TestPage(t *testing.T) {
	s, _ := newServer(t, &memory{}, nil)
	c := stranger(t, s)
	nonces := map[string]bool{}
	for _, path := range []string{"/", "/index.html", "/applications/acme/shop", "/tenants/a%2Fb", "/timeline?at=x"} {
		w := c.do(http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
		require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
		_, nonce, _ := strings.Cut(w.Body.String(), `content="`)
		nonce, _, _ = strings.Cut(nonce, `"`)
		require.Greater(t, len(nonce), 20)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "style-src-elem 'self' 'nonce-"+nonce+"';")
		require.False(t, nonces[nonce])
		nonces[nonce] = true
	}
	js := c.do(http.MethodGet, "/assets/app-1a2.js", "", "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", js.Header().Get("Content-Encoding"))
	require.Equal(t, "public, max-age=31536000, immutable", js.Header().Get("Cache-Control"))
	require.Equal(t, "text/javascript; charset=utf-8", js.Header().Get("Content-Type"))
	require.Equal(t, "no-cache", c.do(http.MethodGet, "/favicon.svg", "").Header().Get("Cache-Control"))
	refused(t, http.StatusNotFound, c.do(http.MethodGet, "/assets/app-9.js", ""))
	refused(t, http.StatusNotFound, c.do(http.MethodGet, "/assets/../../secret", ""))
}
