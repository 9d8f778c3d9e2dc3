package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUIBehindAProxy: several people share a dashboard of the real program. Whom the fleet names reads a tenant, and who is not named learns
// whom to ask.
func TestUIBehindAProxy(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.app("globex", "api", 1, 500)
	w.repo.Write("access.cue", `package fleet

platform: access: {principals: ada: login: "ada@example.com", admins: ["ada"]}
`)
	w.repo.Write("tenants/acme/access.cue", `package fleet

tenant: access: viewers: ["group:team-web"]
`)
	w.repo.Commit("first")
	w.passes()

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
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "globex/api")
	code, body = get("bob", "team-db,team-web", "applications")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "acme/shop")
	require.NotContains(t, body, "globex")
	code, hidden := get("bob", "team-web", "applications/globex/api/decision")
	require.Equal(t, http.StatusNotFound, code)
	_, none := get("bob", "team-web", "applications/nobody/nothing/decision")
	require.Equal(t, none, hidden)
	code, body = get("bob", "", "fleet")
	require.Equal(t, http.StatusForbidden, code)
	require.Contains(t, body, "ask @ada")
}

// behindProxy serves a dashboard of several people at a socket, and returns what a proxy does there.
func behindProxy(t *testing.T, socket string, args ...string) func(user, groups, method, path, body string) (int, string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	var errOut bytes.Buffer
	go func() {
		ended <- run(ctx, append([]string{"ui", "--auth", "proxy", "--listen", "unix:" + socket, "--host", "Fleet.example.com"}, args...), in, &errOut)
		in.Close()
	}()
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	t.Cleanup(func() {
		c.CloseIdleConnections()
		stop()
		require.Zero(t, <-ended, &errOut)
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, &errOut)
	require.Equal(t, "https://Fleet.example.com/ through the proxy, which reaches it at unix:"+socket+"\n", line)
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
