package pinned

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/gittest"
)

// host serves a repository by HTTPS at https://example.com/repo.
type host struct {
	*gittest.Repo
	asked  atomic.Int32
	broken atomic.Bool
	tls    *tls.Config
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

func newHost(t *testing.T) *host {
	h := &host{Repo: gittest.New(t)}
	h.Write("web/kustomization.yaml", "resources: [map.yaml]\n")
	h.Git("config", "uploadpack.allowReachableSHA1InWant", "true")
	handler := h.Handler("")
	h.tls, h.dial = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		if h.broken.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	return h
}

// serve serves by HTTPS what is at example.com.
func serve(t *testing.T, handler http.Handler) (*tls.Config, func(context.Context, string, string) (net.Conn, error)) {
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return &tls.Config{RootCAs: roots}, func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "example.com:443" {
			return nil, &net.AddrError{Err: "nobody may connect to", Addr: address}
		}
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
}

func (h *host) options(t *testing.T) Options {
	return Options{Dir: filepath.Join(t.TempDir(), "pinned"), Now: true, Dial: h.dial, TLS: h.tls}
}

func pin(commit string) model.Pinned {
	return model.Pinned{Repository: "https://example.com/repo", Version: commit}
}

func open(t *testing.T, o Options) *Store {
	s := Open(t.Context(), o)
	t.Cleanup(s.Close)
	return s
}

func read(t *testing.T, files fs.FS, name string) string {
	data, err := fs.ReadFile(files, name)
	require.NoError(t, err)
	return string(data)
}

// TestFetchOnce: a commit is fetched once, also one that is not the tip any more, and then it is there without its host: in
// the same program, after a restart, and for a program that fetches nothing.
func TestFetchOnce(t *testing.T) {
	h := newHost(t)
	first := h.Commit("first")
	h.Write("web/kustomization.yaml", "resources: [other.yaml]\n")
	h.Commit("second")
	o := h.options(t)
	s := open(t, o)
	files, err := s.Files("acme", pin(first))
	require.NoError(t, err)
	require.Equal(t, "resources: [map.yaml]\n", read(t, files, "web/kustomization.yaml"))

	h.broken.Store(true)
	asked := h.asked.Load()
	for _, s := range []*Store{s, open(t, o), Kept(o.Dir)} {
		files, err = s.Files("globex", pin(first))
		require.NoError(t, err)
		require.Equal(t, "resources: [map.yaml]\n", read(t, files, "web/kustomization.yaml"))
	}
	require.Equal(t, asked, h.asked.Load())

	_, err = Kept(o.Dir).Files("acme", pin(strings.Repeat("a", 40)))
	require.ErrorContains(t, err, "is not kept here, and nothing is fetched now")
	_, err = s.Files("acme", pin(strings.Repeat("a", 40)))
	require.ErrorContains(t, err, "cannot be fetched: ")
}

// TestWhatIsKeptIsVerified: a byte that changed on the disk makes what is kept no other commit; it is fetched again.
func TestWhatIsKeptIsVerified(t *testing.T) {
	h := newHost(t)
	commit := h.Commit("first")
	o := h.options(t)
	_, err := open(t, o).Files("acme", pin(commit))
	require.NoError(t, err)
	packs, err := filepath.Glob(filepath.Join(o.Dir, "*", "packs"))
	require.NoError(t, err)
	require.Len(t, packs, 1)
	data, err := os.ReadFile(packs[0])
	require.NoError(t, err)
	for _, at := range []int{13, len(data) / 2, len(data) - 30} {
		changed := append([]byte{}, data...)
		changed[at] ^= 0x55
		require.NoError(t, os.WriteFile(packs[0], changed, 0o600))
		files, err := Kept(o.Dir).Files("acme", pin(commit))
		if err == nil { // what differs is not read: the trailer of the pack
			require.Equal(t, "resources: [map.yaml]\n", read(t, files, "web/kustomization.yaml"))
			continue
		}
		files, err = open(t, o).Files("acme", pin(commit))
		require.NoError(t, err)
		require.Equal(t, "resources: [map.yaml]\n", read(t, files, "web/kustomization.yaml"))
	}
}

// TestAttack04PinnedReachesOnlyWhatIsDialled: an address on this machine, another scheme and a redirect to another host get
// nobody a connection that the dialler refuses.
func TestAttack04PinnedReachesOnlyWhatIsDialled(t *testing.T) {
	var inside atomic.Int32
	internal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer internal.Close()
	config, dial := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, internal.URL+r.URL.Path, http.StatusFound)
	}))
	s := open(t, Options{Dir: t.TempDir(), Now: true, Dial: dial, TLS: config})
	commit := strings.Repeat("a", 40)
	for _, address := range []string{"https://example.com/repo", internal.URL + "/repo", "https://169.254.169.254/repo", "file:///etc", "/etc", "ssh://git@example.com/repo",
		"ext::sh -c id", "--upload-pack=id"} {
		_, err := s.Files("acme", model.Pinned{Repository: address, Version: commit})
		require.ErrorContains(t, err, "cannot be fetched: ", address)
		if strings.Contains(address, "169.254") {
			require.ErrorContains(t, err, "nobody may connect to", "the dialler decides")
		}
	}
	require.Zero(t, inside.Load())
}

// TestAttack05PinnedWithoutEnd: an answer without end, one that hangs and a repository that is too large end, and hold up
// nobody else.
func TestAttack05PinnedWithoutEnd(t *testing.T) {
	done := make(chan struct{})
	h := newHost(t)
	commit := h.Commit("first")
	git := h.Handler("")
	config, dial := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/hangs") {
			select {
			case <-done:
			case <-r.Context().Done():
			}
			return
		}
		git.ServeHTTP(w, r)
	}))
	defer close(done)
	s := open(t, Options{Dir: t.TempDir(), Dial: dial, TLS: config})
	_, err := s.Files("acme", model.Pinned{Repository: "https://example.com/hangs", Version: commit})
	require.ErrorContains(t, err, "is not fetched yet")
	_, err = s.Files("globex", pin(commit))
	require.ErrorContains(t, err, "is not fetched yet")
	select {
	case <-s.Fetched():
	case <-time.After(time.Minute):
		require.Fail(t, "one tenant waits for another")
	}
	_, err = s.Files("globex", pin(commit))
	require.NoError(t, err)

	t.Run("too large", func(t *testing.T) {
		h := newHost(t)
		for i := range 10 {
			h.Write("large"+string(rune('a'+i)), strings.Repeat(string(rune('a'+i)), 7<<20))
		}
		large := h.Commit("large")
		_, err := open(t, h.options(t)).Files("acme", pin(large))
		require.ErrorContains(t, err, "cannot be fetched: ")
	})
}

// TestWaitsGrow: what cannot be fetched is not asked for again at once, and says why.
func TestWaitsGrow(t *testing.T) {
	h := newHost(t)
	commit := h.Commit("first")
	h.broken.Store(true)
	o := h.options(t)
	o.Now = false
	s := open(t, o)
	_, err := s.Files("acme", pin(commit))
	require.ErrorContains(t, err, "is not fetched yet")
	<-s.Fetched()
	asked := h.asked.Load()
	for range 3 {
		_, err = s.Files("acme", pin(commit))
		require.ErrorContains(t, err, "it is tried again")
	}
	require.Equal(t, asked, h.asked.Load())
}
