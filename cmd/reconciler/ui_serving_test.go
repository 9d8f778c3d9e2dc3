package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/view"
)

// TestUIBehindAProxy: several people share a dashboard of the real program. Whom the fleet names reads a tenant, and who is not named learns
// whom to ask.
func TestUIBehindAProxy(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.app("globex", "api", 1, 500)
	w.repo.Write("access.cue", `package fleet

platform: access: {
	enforce: "signed", audience: "fleet.example.com", require: application: 2, admins: ["ada"]
	principals: ada: {login: "ada@example.com", handle: "@example-org/ada", ssh: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB ada"]}
}
`)
	w.repo.Write("tenants/acme/access.cue", `package fleet

tenant: access: {viewers: ["group:team-web"], principals: carl: {handle: "@acme-org/shop-team", ssh: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC carl"]}, admins: ["carl"]}
`)
	w.repo.Write("tenants/globex/access.cue", `package fleet

tenant: access: {principals: grace: {handle: "@globex-org/api-team", ssh: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMD grace"]}, admins: ["grace"]}
`)
	w.repo.Commit("first")
	w.passes()
	w.repo.Git("checkout", "-q", "-b", "more")
	w.app("acme", "shop", 3, 500)
	w.repo.Commit("more of acme/shop")
	w.repo.Git("checkout", "-q", "-b", "both")
	w.app("globex", "api", 2, 500)
	w.repo.Commit("more of both")
	w.repo.Git("checkout", "-q", "main")

	socket := filepath.Join(t.TempDir(), "ui.sock")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close()) // it is left behind, as by a program that was killed
	ui := behindProxy(t, socket, "--repo", w.repo.Dir)
	mode, err := os.Stat(socket)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o660), mode.Mode().Perm())
	get := func(user, groups, path string) (int, string) {
		t.Helper()
		return ui(user, groups, http.MethodGet, path, "")
	}
	code, body := get("ada@example.com", "", "applications")
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, "globex/api")
	code, body = get("bob", "team-db,team-web", "applications")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "acme/shop")
	require.NotContains(t, body, "globex")
	code, hidden := get("bob", "team-web", "applications/globex/api/decision")
	require.Equal(t, http.StatusNotFound, code)
	_, none := get("bob", "team-web", "applications/nobody/nothing/decision")
	require.Equal(t, none, hidden)
	code, body = get("bob", "team-web", "heads")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `"more"`)
	require.NotContains(t, body, "both")
	code, body = get("bob", "team-web", "plan?head=more")
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, "acme/shop")
	var planned view.Plan
	require.NoError(t, json.Unmarshal([]byte(body), &planned))
	require.Len(t, planned.Approvals, 1, "whose change needs more people")
	require.Equal(t, []string{"@acme-org/shop-team", "@example-org/ada"}, planned.Approvals[0].Who, body)
	require.Equal(t, 2, planned.Approvals[0].People)
	require.NotContains(t, body, "globex", "nobody learns who approves changes of others")
	code, hidden = get("bob", "team-web", "plan?head=both")
	require.Equal(t, http.StatusNotFound, code)
	_, none = get("bob", "team-web", "plan?head=nothing")
	require.Equal(t, none, hidden)
	code, _ = get("ada@example.com", "", "plan?head=both")
	require.Equal(t, http.StatusOK, code)
	code, body = get("bob", "", "fleet")
	require.Equal(t, http.StatusForbidden, code)
	require.Contains(t, body, "ask @example-org/ada")
}

// behindProxy serves a dashboard of several people at a socket, and returns what a proxy does there.
func behindProxy(t *testing.T, socket string, args ...string) func(user, groups, method, path, body string) (int, string) {
	t.Helper()
	line := startUI(t, append([]string{"--auth", "proxy", "--listen", "unix:" + socket, "--host", "Fleet.example.com"}, args...)...)
	require.Equal(t, "https://Fleet.example.com/ through the proxy, which reaches it at unix:"+socket+"\n", line)
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	t.Cleanup(c.CloseIdleConnections)
	return func(user, groups, method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://fleet.example.com/api/v1/"+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-Forwarded-User", user)
		r.Header.Set("X-Forwarded-Groups", groups)
		a, err := c.Do(r)
		require.NoError(t, err)
		defer a.Body.Close()
		said, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		return a.StatusCode, string(said)
	}
}

// TestUISignsPeopleIn: the real program sends browsers to the issuer, with what the flags say, and comes up while that is away.
func TestUISignsPeopleIn(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.repo.Commit("first")
	w.passes()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("s3cret\n"), 0o600))
	var up atomic.Bool
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"%[1]s/in","token_endpoint":"%[1]s/token","jwks_uri":"%[1]s/keys"}`, issuer.URL)
	}))
	defer issuer.Close()
	start := func() string {
		socket := filepath.Join(t.TempDir(), "ui.sock")
		line := startUI(t, "--repo", w.repo.Dir, "--auth", "oidc", "--listen", "unix:"+socket, "--host", "Fleet.example.com", "--auth-issuer", issuer.URL,
			"--auth-client-id", "daros", "--auth-client-secret-file", secret, "--auth-scope", "email,groups")
		require.Equal(t, "https://Fleet.example.com/ where people sign in at "+issuer.URL+"\n", line)
		return socket
	}
	get := func(socket, path string) (int, http.Header, string) {
		c := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}
		defer c.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://fleet.example.com"+path, nil)
		require.NoError(t, err)
		a, err := c.RoundTrip(r)
		require.NoError(t, err)
		defer a.Body.Close()
		body, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		return a.StatusCode, a.Header, string(body)
	}
	socket := start()
	code, _, body := get(socket, "/auth/sign-in")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, body, "cannot be asked just now")
	up.Store(true)
	socket = start()
	code, _, _ = get(socket, "/api/v1/fleet")
	require.Equal(t, http.StatusUnauthorized, code)
	code, header, _ := get(socket, "/auth/sign-in")
	require.Equal(t, http.StatusSeeOther, code)
	to, err := url.Parse(header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, issuer.URL+"/in", "http://"+to.Host+to.Path)
	require.Equal(t, "https://Fleet.example.com/auth/callback", to.Query().Get("redirect_uri"))
	require.Equal(t, "openid email groups", to.Query().Get("scope"))
	require.Equal(t, "daros", to.Query().Get("client_id"))
	require.NotContains(t, header.Get("Location"), "s3cret")
}
