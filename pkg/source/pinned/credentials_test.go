package pinned

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/gittest"
)

const secretToken = "CANARY-7f3a"

// keep writes files with credentials, by name.
func keep(t *testing.T, dir string, files map[string]string) string {
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// TestFetchWithCredentials: a private repository is fetched with the file of its host, which is read anew each time; without
// one, or with that of another host or port, it is not.
func TestFetchWithCredentials(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.yaml", "a: b\n")
	commit := repo.Commit("first")
	repo.Git("config", "uploadpack.allowReachableSHA1InWant", "true")
	config, dial := serve(t, repo.Handler(secretToken))
	o := Options{Dir: filepath.Join(t.TempDir(), "pinned"), Now: true, Dial: dial, TLS: config, Credentials: t.TempDir()}

	for name, files := range map[string]map[string]string{
		"nothing":          {},
		"of another host":  {"example.org": secretToken, "sub.example.com": secretToken},
		"of another port":  {"example.com_8443": secretToken},
		"of a tenant":      {"globex/example.com": secretToken},
		"wrong":            {"example.com": "git:wrong-" + secretToken},
		"of several lines": {"example.com": secretToken + "\nmore"},
		"empty":            {"example.com": "\n"},
	} {
		o.Credentials = keep(t, t.TempDir(), files)
		_, err := open(t, o).Files("acme", pin(commit))
		require.ErrorContains(t, err, "cannot be fetched: ", name)
		require.NotContains(t, err.Error(), secretToken, name)
	}
	o.Credentials = keep(t, t.TempDir(), map[string]string{"example.com": "wrong"})
	s := open(t, o)
	_, err := s.Files("acme", pin(commit))
	require.ErrorContains(t, err, "access denied")
	keep(t, o.Credentials, map[string]string{"example.com": "bot:" + secretToken + "\n"})
	files, err := s.Files("acme", pin(commit))
	require.NoError(t, err)
	require.Equal(t, "a: b\n", read(t, files, "a.yaml"))
	_, err = Kept(o.Dir).Files("globex", pin(commit))
	require.NoError(t, err, "what is fetched with credentials for all tenants is for all tenants")
}

// TestCredentialsOfATenant: what only the credentials of a tenant can read, no other tenant gets, though it is kept.
func TestCredentialsOfATenant(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.yaml", "a: b\n")
	commit := repo.Commit("first")
	repo.Git("config", "uploadpack.allowReachableSHA1InWant", "true")
	config, dial := serve(t, repo.Handler(secretToken))
	o := Options{Dir: filepath.Join(t.TempDir(), "pinned"), Now: true, Dial: dial, TLS: config}
	o.Credentials = keep(t, t.TempDir(), map[string]string{"example.com": "wrong", "acme/example.com": secretToken})
	s := open(t, o)
	_, err := s.Files("acme", pin(commit))
	require.NoError(t, err)
	_, err = Kept(o.Dir).Files("acme", pin(commit))
	require.NoError(t, err)
	for _, tenant := range []string{"globex", "", "../acme", "acme/.."} {
		_, err = s.Files(tenant, pin(commit))
		require.ErrorContains(t, err, "access denied", tenant)
		_, err = Kept(o.Dir).Files(tenant, pin(commit))
		require.ErrorContains(t, err, "is not kept here", tenant)
	}
}

// TestFetchArtefactWithCredentials: a chart comes from a private registry with the file of its host.
func TestFetchArtefactWithCredentials(t *testing.T) {
	c := newCharts(t)
	p := c.push(t, packed(t, file("door/Chart.yaml", "name: door\n")), chartLayer)
	c.guard.Store(new(secretToken))
	_, err := open(t, c.o).Files("acme", p)
	require.ErrorContains(t, err, "cannot be fetched: ")
	c.o.Credentials = keep(t, t.TempDir(), map[string]string{"example.com": "bot:" + secretToken})
	files, err := open(t, c.o).Files("acme", p)
	require.NoError(t, err)
	require.Equal(t, "name: door\n", read(t, files, "door/Chart.yaml"))
}

// TestAttack18Credentials: credentials go to the host of their file by HTTPS, and nowhere else: not where it redirects, not
// to a service of tokens that it names, and not along a link out of their directory.
func TestAttack18Credentials(t *testing.T) {
	var mu sync.Mutex
	told := map[string]bool{} // hosts that got credentials
	var lead func(w http.ResponseWriter, r *http.Request)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") != "" {
			told[r.Host] = true
		}
		if r.Host == "example.com" {
			lead(w, r)
			return
		}
		http.Error(w, "who are you?", http.StatusUnauthorized)
	})
	config, dial := serve(t, handler)
	o := Options{Dir: t.TempDir(), Now: true, TLS: &tls.Config{RootCAs: config.RootCAs, ServerName: "example.com"}}
	o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, "example.com:443")
	}
	o.Credentials = keep(t, t.TempDir(), map[string]string{"example.com": secretToken, "evil.com": "other"})
	artefact := model.Pinned{Repository: model.Registry + "example.com/charts/door", Version: "sha256:" + strings.Repeat("a", 64)}
	commit := pin(strings.Repeat("a", 40))

	for name, leads := range map[string]func(w http.ResponseWriter, r *http.Request){
		"another host": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.com"+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"a host below": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example.com"+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"another port": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com:8443"+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"a service of tokens": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="https://evil.com/token",service="example.com"`)
			w.WriteHeader(http.StatusUnauthorized)
		},
		"clear text": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com"+r.URL.Path, http.StatusTemporaryRedirect)
		},
	} {
		lead = leads
		for _, p := range []model.Pinned{artefact, commit} {
			_, err := open(t, o).Files("acme", p)
			require.ErrorContains(t, err, "cannot be fetched: ", name)
			require.NotContains(t, err.Error(), secretToken, name)
		}
	}
	require.True(t, told["example.com"])
	delete(told, "example.com")
	require.Empty(t, told)

	outside := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(outside, []byte(secretToken), 0o600))
	o.Credentials = t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(o.Credentials, "example.com")))
	_, err := open(t, o).Files("acme", commit)
	require.ErrorContains(t, err, "read the credentials example.com")
	require.Empty(t, told)
	require.NotContains(t, login{"a", secretToken}.String(), secretToken)
}
