package dashboard

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// entrance is a dashboard over TLS at which people sign in, with its issuer.
type entrance struct {
	*provider
	t      *testing.T
	server *Server
	now    *clock
	base   string
	tls    *tls.Config
}

func newEntrance(t *testing.T) *entrance {
	t.Helper()
	p := newProvider(t)
	m := small(0, "")
	m.Ledger.Platform.Access = &model.Access{Viewers: []string{"user:ada@example.com"}}
	m.Ledger.Tenants = []model.Tenant{{Name: "acme", Access: &model.Access{Viewers: []string{"group:team-web"}}}}
	ours, pool := authority(t)
	l := listen(t)
	e := &entrance{provider: p, t: t, now: &clock{now: began}, base: "https://" + l.Addr().String(), tls: &tls.Config{RootCAs: pool}}
	back, err := url.Parse(e.base + CallbackPath)
	require.NoError(t, err)
	gate, err := NewOIDC(OIDCOptions{
		Issuer: p.URL, ClientID: "daros", ClientSecret: "s3cret", Redirect: back, Scopes: []string{"email"}, UserClaim: "email", GroupsClaim: "groups",
		Lifetime: 8 * time.Hour, Now: e.now.time,
	})
	require.NoError(t, err)
	e.server, err = New(Options{
		Branch: &memory{moments: []Moment{m}}, Pages: frontEnd, Interval: time.Hour, Now: e.now.time, SignIn: gate,
		TLS: &tls.Config{Certificates: []tls.Certificate{ours}},
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.server.Serve(ctx, l) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	e.comes("ada@example.com")
	return e
}

// comes says who signs in next, with groups.
func (e *entrance) comes(user string, groups ...string) {
	e.set(func() { e.claims = map[string]any{"email": user, "email_verified": true, "groups": groups} })
}

// browser returns one that follows links.
func (e *entrance) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	require.NoError(e.t, err)
	c := &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: e.tls.Clone(), ForceAttemptHTTP2: true}}
	e.t.Cleanup(c.CloseIdleConnections)
	return c
}

// opened is what a browser shows in the end.
type opened struct {
	code int
	at   string // the URL
	body string
	http.Header
}

func (e *entrance) open(c *http.Client, method, address string, headers ...string) opened {
	e.t.Helper()
	r, err := http.NewRequestWithContext(e.t.Context(), method, address, nil)
	require.NoError(e.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := c.Do(r)
	require.NoError(e.t, err)
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	require.NoError(e.t, err)
	return opened{w.StatusCode, w.Request.URL.String(), string(body), w.Header}
}

func (e *entrance) get(c *http.Client, path string) opened {
	e.t.Helper()
	return e.open(c, http.MethodGet, e.base+path)
}

// TestSignInAtAnIssuer: who comes back from the issuer reads what the fleet gives them, until they sign out or their time is over.
func TestSignInAtAnIssuer(t *testing.T) {
	e := newEntrance(t)
	ada, bob := e.browser(), e.browser()
	refused := e.get(ada, "/api/v1/meta")
	require.Equal(t, http.StatusUnauthorized, refused.code)
	require.Equal(t, "/auth/sign-in", refused.Get("Daros-Sign-In"))
	require.Equal(t, http.StatusOK, e.get(ada, "/").code, "the page itself holds nothing")

	rebound, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.base+"/auth/sign-in", nil)
	require.NoError(t, err)
	rebound.Host = "evil.example"
	w, err := ada.Do(rebound)
	require.NoError(t, err)
	w.Body.Close()
	require.Equal(t, http.StatusMisdirectedRequest, w.StatusCode, "another name is not answered")

	in := e.get(ada, "/auth/sign-in?to=/tenants/acme%3Fat%3Dx")
	require.Equal(t, http.StatusOK, in.code, in.body)
	require.Equal(t, e.base+"/tenants/acme?at=x", in.at)
	meta := e.get(ada, "/api/v1/meta").body
	require.Contains(t, meta, `"user": "ada@example.com"`)
	require.Contains(t, meta, `"signOut": "/auth/sign-out"`)
	require.Contains(t, e.get(ada, "/api/v1/applications").body, "acme/shop")

	e.comes("bob@example.com", "team-web")
	e.get(bob, "/auth/sign-in")
	require.Contains(t, e.get(bob, "/api/v1/applications").body, "acme/shop", "his group reads acme")
	e.comes("eve@example.com", "team-db")
	eve := e.browser()
	e.get(eve, "/auth/sign-in")
	nothing := e.get(eve, "/api/v1/applications")
	require.Equal(t, http.StatusForbidden, nothing.code)
	require.Contains(t, nothing.body, "may read nothing here")

	require.Equal(t, http.StatusForbidden, e.open(ada, http.MethodPost, e.base+"/auth/sign-out", "Sec-Fetch-Site", "cross-site").code)
	require.Equal(t, http.StatusNoContent, e.open(ada, http.MethodPost, e.base+"/auth/sign-out").code)
	require.Equal(t, http.StatusUnauthorized, e.get(ada, "/api/v1/meta").code)
	require.Equal(t, http.StatusOK, e.get(bob, "/api/v1/meta").code)
	e.now.pass(8 * time.Hour)
	require.Equal(t, http.StatusUnauthorized, e.get(bob, "/api/v1/meta").code, "his time is over")
}

// TestCookiesOfASignIn: scripts read none of them, no other host sets them, and only the one that has to come with a link of the issuer does.
func TestCookiesOfASignIn(t *testing.T) {
	e := newEntrance(t)
	c := e.browser()
	set := map[string]*http.Cookie{}
	c.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		for _, one := range r.Response.Cookies() {
			if one.MaxAge >= 0 {
				set[one.Name] = one
			}
		}
		return nil
	}
	e.get(c, "/auth/sign-in")
	require.Len(t, set, 2)
	for name, site := range map[string]http.SameSite{"__Host-daros_attempt": http.SameSiteLaxMode, "__Host-daros_visit": http.SameSiteStrictMode} {
		require.Contains(t, set, name)
		require.True(t, set[name].HttpOnly && set[name].Secure, name)
		require.Equal(t, "/", set[name].Path)
		require.Empty(t, set[name].Domain)
		require.Equal(t, site, set[name].SameSite)
		require.NotContains(t, set[name].Value, "ada")
	}
}

// TestStreamsEndWithTheSignIn: nothing more is sent to who has signed out.
func TestStreamsEndWithTheSignIn(t *testing.T) {
	e := newEntrance(t)
	c := e.browser()
	e.get(c, "/auth/sign-in")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.base+"/api/v1/stream", nil)
	require.NoError(t, err)
	w, err := c.Do(r)
	require.NoError(t, err)
	defer w.Body.Close()
	require.Equal(t, []string{tip(0)}, events(t, w, 1))
	require.Equal(t, http.StatusNoContent, e.open(c, http.MethodPost, e.base+"/auth/sign-out").code)
	require.Empty(t, events(t, w, 1), "it ends")
}

// TestForgedTokens: no token lets anybody in that is old, or that the issuer made for another sign-in or another dashboard.
func TestForgedTokens(t *testing.T) {
	e := newEntrance(t)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	alter := func(name string, value any) func(map[string]any) {
		return func(claims map[string]any) { claims[name] = value }
	}
	for name, attack := range map[string]struct {
		alters func(map[string]any)
		signs  func(map[string]any) string
		says   string
	}{
		"the nonce of another sign-in": {alters: alter("nonce", "other"), says: "that of another sign-in"},
		"no nonce":                     {alters: alter("nonce", nil), says: "that of another sign-in"},
		"the audience of another":      {alters: alter("aud", "wiki"), says: "expected audience"},
		"made for another of several":  {alters: func(c map[string]any) { c["aud"], c["azp"] = []string{"daros", "wiki"}, "wiki" }, says: "made for"},
		"expired":                      {alters: alter("exp", began.Add(-time.Second).Unix()), says: "expired"},
		"of another issuer":            {alters: alter("iss", "https://evil.example"), says: "different provider"},
		"no name":                      {alters: alter("email", nil), says: "no claim email"},
		"an unverified address":        {alters: alter("email_verified", false), says: "was verified"},
		"a name that is no text":       {alters: alter("email", []string{"ada@example.com"}), says: "no claim email"},
		"the algorithm none": {says: "malformed jwt", signs: func(claims map[string]any) string {
			body, _ := json.Marshal(claims)
			part := base64.RawURLEncoding.EncodeToString
			return part([]byte(`{"alg":"none"}`)) + "." + part(body) + "."
		}},
		"signed with the secret": {says: "malformed jwt", signs: func(claims map[string]any) string {
			return signed(t, jose.HS256, bytes.Repeat([]byte("s3cret"), 6), claims)
		}},
		"the key of somebody else": {says: "failed to verify", signs: func(claims map[string]any) string { return signed(t, jose.ES256, other, claims) }},
		"no token":                 {says: "malformed jwt", signs: func(map[string]any) string { return "" }},
	} {
		t.Run(name, func(t *testing.T) {
			e.set(func() { e.alters, e.signs = attack.alters, attack.signs })
			c := e.browser()
			w := e.get(c, "/auth/sign-in")
			require.Equal(t, http.StatusForbidden, w.code, w.body)
			require.Contains(t, w.body, attack.says)
			require.Equal(t, "text/html; charset=utf-8", w.Get("Content-Type"))
			require.Equal(t, policy, w.Get("Content-Security-Policy"))
			require.NotContains(t, w.body, "s3cret")
			require.Equal(t, http.StatusUnauthorized, e.get(c, "/api/v1/meta").code)
		})
	}
	e.set(func() { e.alters, e.signs = nil, nil })
	require.Equal(t, http.StatusOK, e.get(e.browser(), "/auth/sign-in").code)
}

// TestForgedCallbacks: only the browser that began a sign-in comes back from it, once and in time.
func TestForgedCallbacks(t *testing.T) {
	e := newEntrance(t)
	stopped := func(c *http.Client) string { // a browser that began, and the link back that the issuer gave it
		var back string
		c.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if r.URL.Path == CallbackPath {
				back = r.URL.String()
				return http.ErrUseLastResponse
			}
			return nil
		}
		e.get(c, "/auth/sign-in")
		c.CheckRedirect = nil
		require.NotEmpty(t, back)
		return back
	}
	refused := func(c *http.Client, address, says string) {
		t.Helper()
		w := e.open(c, http.MethodGet, address)
		require.Equal(t, http.StatusForbidden, w.code, w.body)
		require.Contains(t, w.body, says)
		require.Equal(t, http.StatusUnauthorized, e.get(c, "/api/v1/meta").code)
	}
	c := e.browser()
	back := stopped(c)
	refused(e.browser(), back, "this browser did not begin the sign-in")
	other := e.browser()
	stopped(other)
	refused(other, back, "this browser did not begin the sign-in")
	refused(c, back[:len(back)-1], "this browser did not begin the sign-in")
	e.set(func() { require.Zero(t, e.asked, "the issuer is not asked") })

	place, err := url.Parse(e.base)
	require.NoError(t, err)
	kept := c.Jar.Cookies(place)
	require.Equal(t, http.StatusOK, e.open(c, http.MethodGet, back).code)
	require.Equal(t, http.StatusOK, e.get(c, "/api/v1/meta").code)
	again := e.browser()
	again.Jar.SetCookies(place, kept) // somebody has a copy of the link and of the cookie
	refused(again, back, "was completed before")

	c = e.browser()
	back = stopped(c)
	e.now.pass(maxAttempt)
	refused(c, back, "took longer than 10 minutes")

	c = e.browser()
	back, _, _ = strings.Cut(stopped(c), "code=")
	_, state, _ := strings.Cut(stopped(c), "state=")
	refused(c, back+"error=access_denied&error_description=%3Cscript%3E%1b%5b31m&state="+state, "did not sign you in: access_denied &lt;script&gt;")
	c = e.browser()
	_, state, _ = strings.Cut(stopped(c), "state=")
	refused(c, back+"code=guessed&state="+state, "does not know the code of this sign-in (invalid_grant)")
}

// TestNoOpenRedirect: a sign-in ends at the dashboard, whatever a link says.
func TestNoOpenRedirect(t *testing.T) {
	e := newEntrance(t)
	for _, to := range []string{
		"https://evil.example/", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "/\t/evil.example", "http:evil.example", "javascript:alert(1)", "evil",
		"//evil.example/%2f..", "https://" + strings.TrimPrefix(e.base, "https://") + "@evil.example", "/" + strings.Repeat("a", maxReturn), "/\r\nLocation: https://evil.example", "/%00",
	} {
		c := e.browser()
		w := e.get(c, "/auth/sign-in?to="+url.QueryEscape(to))
		require.Equal(t, http.StatusOK, w.code, "%q", to)
		require.True(t, strings.HasPrefix(w.at, e.base+"/"), "%q leads to %s", to, w.at)
	}
	require.Equal(t, "/applications/acme/shop?at=x&q=a+b", here("/applications/acme/shop?at=x&q=a+b#x"))
}

// TestIssuerAway: who is signed in stays; who signs in gets a sentence, and can once it is back.
func TestIssuerAway(t *testing.T) {
	e := newEntrance(t)
	e.set(func() { e.away = true })
	early := e.get(e.browser(), "/auth/sign-in")
	require.Equal(t, http.StatusServiceUnavailable, early.code)
	require.Contains(t, early.body, "nobody can sign in; who is signed in stays")
	e.set(func() { e.away = false })
	require.Equal(t, http.StatusServiceUnavailable, e.get(e.browser(), "/auth/sign-in").code, "it is left alone for a moment")
	e.now.pass(betweenFailures)
	c := e.browser()
	require.Equal(t, http.StatusOK, e.get(c, "/auth/sign-in").code)
	e.set(func() { e.away = true })
	require.Equal(t, http.StatusOK, e.get(c, "/api/v1/fleet").code)

	late := e.browser()
	back := ""
	late.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == CallbackPath {
			e.set(func() { e.away = true })
			back = r.URL.String()
		}
		return nil
	}
	e.set(func() { e.away = false })
	w := e.get(late, "/auth/sign-in")
	require.NotEmpty(t, back)
	require.Equal(t, http.StatusServiceUnavailable, w.code, "it went away meanwhile")
	require.Contains(t, w.body, "cannot be asked just now")
}

// TestManyVisits: a person has a few at a time; attempts and browsers without end keep nobody else out.
func TestManyVisits(t *testing.T) {
	e := newEntrance(t)
	first := e.browser()
	e.get(first, "/auth/sign-in")
	e.comes("bob@example.com", "team-web")
	bob := e.browser()
	e.get(bob, "/auth/sign-in")
	e.comes("ada@example.com")
	for range maxVisits {
		require.Equal(t, http.StatusOK, e.get(e.browser(), "/auth/sign-in").code)
	}
	require.Equal(t, http.StatusUnauthorized, e.get(first, "/api/v1/meta").code)
	require.Equal(t, http.StatusOK, e.get(bob, "/api/v1/meta").code)
	require.Len(t, e.server.SignIn.visits.open, maxVisits+1)
	for range maxUsed + 10 {
		a, sealed := e.server.SignIn.attempts.begin("/", began)
		_, err := e.server.SignIn.attempts.end(sealed, a.State, began)
		require.NoError(t, err)
	}
	require.Len(t, e.server.SignIn.attempts.used, maxUsed)
}

func TestBadIssuers(t *testing.T) {
	for issuer, back := range map[string]string{
		"http://id.example.com":        "https://fleet.example.com/auth/callback",
		"id.example.com":               "https://fleet.example.com/auth/callback",
		"https://id.example.com":       "http://fleet.example.com/auth/callback",
		"https://id.example.com/realm": "https://fleet.example.com/",
		"https://id.example.com/a":     "https://fleet.example.com/auth/callback?x=y",
		"":                             "https://fleet.example.com/auth/callback",
	} {
		to, err := url.Parse(back)
		require.NoError(t, err)
		_, err = NewOIDC(OIDCOptions{Issuer: issuer, Redirect: to, Now: time.Now})
		require.Error(t, err, fmt.Sprint(issuer, back))
	}
}

// TestIssuersThatDisclose: nobody is sent to an issuer, and no key is believed, where others could read along or answer.
func TestIssuersThatDisclose(t *testing.T) {
	for _, what := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri"} {
		e := newEntrance(t)
		e.set(func() { e.discloses = what })
		w := e.get(e.browser(), "/auth/sign-in")
		require.Equal(t, http.StatusServiceUnavailable, w.code, what)
		require.Contains(t, w.body, "http://id.example.com/ is no https:// address")
	}
}
