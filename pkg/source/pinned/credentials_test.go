package pinned

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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
		"of three lines":   {"example.com": secretToken + "\nhttps://auth.example.org\nmore"},
		"tokens in clear":  {"example.com": secretToken + "\nhttp://auth.example.org"},
		"tokens of a user": {"example.com": secretToken + "\nhttps://" + secretToken + "@auth.example.org"},
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
	require.NotContains(t, login{user: "a", password: secretToken}.String(), secretToken)
}

// tokenWorld is a registry whose tokens another host gives, and a hostile registry. All hosts are one server.
type tokenWorld struct {
	o     Options
	mu    sync.Mutex
	told  map[string][]string // what each host got as credentials
	realm map[string]string   // that a registry names
	token http.HandlerFunc    // the service of tokens
}

const bearer = "BEARER-22c9"

func newTokenWorld(t *testing.T) (*tokenWorld, model.Pinned) {
	c := newCharts(t)
	p := c.push(t, packed(t, file("door/Chart.yaml", "name: door\n")), chartLayer)
	inner := c.o.Dial
	w := &tokenWorld{told: map[string][]string{}, realm: map[string]string{}}
	w.token = func(rw http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "bot" || password != secretToken {
			http.Error(rw, "who is "+r.Header.Get("Authorization")+"?", http.StatusUnauthorized)
			return
		}
		_, _ = rw.Write([]byte(`{"token":"` + bearer + `"}`))
	}
	behind := &http.Transport{TLSClientConfig: c.o.TLS, DialContext: inner}
	t.Cleanup(behind.CloseIdleConnections)
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		host, said := strings.TrimSuffix(r.Host, ":443"), r.Header.Get("Authorization")
		w.mu.Lock()
		if said != "" {
			w.told[host] = append(w.told[host], said)
		}
		realm, token := w.realm[host], w.token
		w.mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL.Path, "/token"):
			token(rw, r)
		case said != "Bearer "+bearer:
			rw.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`",service="registry"`)
			rw.WriteHeader(http.StatusUnauthorized)
		default:
			r.RequestURI, r.URL.Scheme, r.URL.Host = "", "https", "example.com"
			answer, err := behind.RoundTrip(r)
			if err != nil {
				http.Error(rw, "down", http.StatusBadGateway)
				return
			}
			defer answer.Body.Close()
			maps.Copy(rw.Header(), answer.Header)
			rw.WriteHeader(answer.StatusCode)
			_, _ = io.Copy(rw, answer.Body)
		}
	})
	config, dial := serve(t, handler)
	w.o = Options{Dir: filepath.Join(t.TempDir(), "pinned"), Now: true, TLS: &tls.Config{RootCAs: config.RootCAs, ServerName: "example.com"}}
	w.o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, "example.com:443")
	}
	return w, p
}

// fetch fetches a chart of a registry with files of credentials, and returns which hosts were told what.
func (w *tokenWorld) fetch(t *testing.T, p model.Pinned, files map[string]string) (map[string][]string, error) {
	w.mu.Lock()
	w.told = map[string][]string{}
	w.mu.Unlock()
	w.o.Dir, w.o.Credentials = filepath.Join(t.TempDir(), "pinned"), keep(t, t.TempDir(), files)
	_, err := open(t, w.o).Files("acme", p)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told, err
}

// TestTokensOfAnotherHost: a registry whose tokens another host gives is fetched from if the file with its credentials names
// that host, which gets them; the registry gets the token alone.
func TestTokensOfAnotherHost(t *testing.T) {
	w, p := newTokenWorld(t)
	w.realm["example.com"] = "https://auth.example.org/token"
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("bot:"+secretToken))
	for _, second := range []string{"https://auth.example.org", "https://auth.example.org/", "https://auth.example.org:443\n"} {
		told, err := w.fetch(t, p, map[string]string{"example.com": "bot:" + secretToken + "\n" + second})
		require.NoError(t, err)
		require.Len(t, told, 2)
		require.Equal(t, []string{basic}, slices.Compact(told["auth.example.org"]))
		require.Equal(t, []string{"Bearer " + bearer}, slices.Compact(told["example.com"]))
	}
	w.realm["example.com"] = "https://auth.example.org:8443/token"
	_, err := w.fetch(t, p, map[string]string{"example.com": "bot:" + secretToken + "\nhttps://auth.example.org:8443"})
	require.NoError(t, err)
}

// TestDockerHub: a chart of Docker Hub is fetched by any of its names with a file of any of them, the file of the name itself
// first. Its tokens come from auth.docker.io, so the file need not say so. Nobody else gets the credentials, and a host that
// only looks like it gets nothing.
func TestDockerHub(t *testing.T) {
	w, p := newTokenWorld(t)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("bot:"+secretToken))
	at := func(host string) model.Pinned {
		of := p
		of.Repository = strings.Replace(p.Repository, "example.com", host, 1)
		return of
	}
	for _, host := range []string{"index.docker.io", "registry-1.docker.io", "evil.docker.io"} {
		w.realm[host] = "https://auth.docker.io/token"
	}
	for host, asked := range map[string]string{"docker.io": "index.docker.io", "index.docker.io": "index.docker.io", "registry-1.docker.io": "registry-1.docker.io"} {
		for _, files := range []map[string]string{
			{"docker.io": "bot:" + secretToken},
			{"index.docker.io": "bot:" + secretToken},
			{"registry-1.docker.io": "bot:" + secretToken + "\nhttps://auth.docker.io"},
			{"acme/docker.io": "bot:" + secretToken, "docker.io": "other:wrong", host: "other:wrong"},
			{"docker.io": "other:wrong", host: "bot:" + secretToken},
		} {
			told, err := w.fetch(t, at(host), files)
			require.NoError(t, err, "%s %v", host, files)
			require.Equal(t, []string{basic}, slices.Compact(told["auth.docker.io"]))
			require.Equal(t, []string{"Bearer " + bearer}, slices.Compact(told[asked]))
			require.Len(t, told, 2)
		}
	}
	for _, host := range []string{"evil.docker.io", "docker.io:8443"} {
		told, err := w.fetch(t, at(host), map[string]string{"docker.io": "bot:" + secretToken})
		require.ErrorContains(t, err, "cannot be fetched: ", host)
		require.Empty(t, told, host)
	}
	w.realm["index.docker.io"] = "https://evil.com/token"
	told, err := w.fetch(t, at("docker.io"), map[string]string{"docker.io": "bot:" + secretToken})
	require.ErrorContains(t, err, "cannot be fetched: ")
	require.NotContains(t, err.Error(), secretToken)
	require.NotContains(t, told, "evil.com")
}

// TestAttack18TokensOfAnotherHost: whatever a registry or its service of tokens names or leads to, credentials go to the
// hosts that their own file names, and no error has anything of them.
func TestAttack18TokensOfAnotherHost(t *testing.T) {
	w, p := newTokenWorld(t)
	evil := p
	evil.Repository = strings.Replace(p.Repository, "example.com", "evil.com", 1)
	files := map[string]string{"example.com": "bot:" + secretToken + "\nhttps://auth.example.org", "evil.com": "mallory:other"}
	honest := w.token
	for name, c := range map[string]struct {
		of    model.Pinned
		realm string
		token http.HandlerFunc
	}{
		"a realm that its file does not name":          {of: p, realm: "https://evil.com/token"},
		"a host below that of its file":                {of: p, realm: "https://evil.auth.example.org/token"},
		"another port":                                 {of: p, realm: "https://auth.example.org:8443/token"},
		"in clear":                                     {of: p, realm: "http://auth.example.org/token"},
		"a user in the realm":                          {of: p, realm: "https://auth.example.org@evil.com/token"},
		"a hostile registry with the realm of another": {of: evil, realm: "https://auth.example.org/token"},
		"a hostile registry with another as its realm": {of: evil, realm: "https://example.com/token"},
		"a service of tokens that leads elsewhere": {of: p, realm: "https://auth.example.org/token", token: func(rw http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Host, "auth.example.org") {
				http.Redirect(rw, r, "https://evil.com/token", http.StatusTemporaryRedirect)
				return
			}
			honest(rw, r)
		}},
		"a service of tokens that repeats what it got": {of: p, realm: "https://auth.example.org/token", token: func(rw http.ResponseWriter, r *http.Request) {
			_, password, _ := r.BasicAuth()
			rw.WriteHeader(http.StatusForbidden)
			_, _ = rw.Write([]byte(strings.Repeat("x", 240) + password + r.Header.Get("Authorization")))
		}},
	} {
		w.realm[strings.TrimPrefix(strings.TrimSuffix(c.of.Repository, "/charts/door"), "oci://")] = c.realm
		w.token = honest
		if c.token != nil {
			w.token = c.token
		}
		told, err := w.fetch(t, c.of, files)
		require.ErrorContains(t, err, "cannot be fetched: ", name)
		for secret := range strings.SplitSeq(secretToken+" CANARY "+base64.StdEncoding.EncodeToString([]byte("bot:"+secretToken)), " ") {
			require.NotContains(t, err.Error(), secret, name)
		}
		for host, said := range told {
			for _, s := range said {
				user, password, _ := (&http.Request{Header: http.Header{"Authorization": {s}}}).BasicAuth()
				switch host {
				case "auth.example.org", "example.com":
					require.True(t, c.of == p && user == "bot" && password == secretToken || s == "Bearer ", "%s: %s got %q", name, host, s)
				default:
					require.True(t, c.of == evil && host == "evil.com" && user == "mallory" || s == "Bearer ", "%s: %s got %q", name, host, s)
				}
			}
		}
	}
}
