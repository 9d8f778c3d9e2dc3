package chaos

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// gate is the way of the reconciler to the API server. It counts what passes, and can be closed.
type gate struct {
	server *httptest.Server
	own    *regexp.Regexp // paths of what the reconciler may write

	mu      sync.Mutex
	open    context.Context // ends when the gate is closed
	close   context.CancelFunc
	writes  int
	refused int
	latest  []string // writes, the last of them
	stray   []string // writes to what is not own
	onWrite func()   // at the next write, before it is sent; may be nil
}

func newGate(t *testing.T, cluster *rest.Config, fleet string) *gate {
	t.Helper()
	target, err := url.Parse(cluster.Host)
	require.NoError(t, err)
	transport, err := rest.TransportFor(cluster)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // watches
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	g := &gate{own: regexp.MustCompile(`^/apis?/([^/]+/)?[^/]+/namespaces/` + fleet + `-(acme|globex|mallory|bomber)(/|$)|` +
		`^/api/v1/namespaces/(daros-system/configmaps/daros-|daros-nodes/configmaps/plan-)` + fleet + `(-general)?$`)}
	g.reopen()
	g.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		open := g.enter(r)
		if open.Err() != nil {
			panic(http.ErrAbortHandler)
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(open, cancel)()
		proxy.ServeHTTP(rw, r.WithContext(ctx))
	}))
	t.Cleanup(func() {
		g.shut()
		g.server.Close()
	})
	return g
}

// enter notes a request, and returns how long it may take.
func (g *gate) enter(r *http.Request) context.Context {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.open.Err() != nil:
		g.refused++
	case r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/events"):
		g.writes++
		g.latest = append(g.latest[max(0, len(g.latest)-9):], r.Method+" "+r.URL.Path)
		if !g.own.MatchString(r.URL.Path) {
			g.stray = append(g.stray, r.Method+" "+r.URL.Path)
		}
		if g.onWrite != nil {
			g.onWrite()
		}
	}
	return g.open
}

// shut breaks all connections and refuses new ones.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused = 0
	g.close()
}

func (g *gate) reopen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open, g.close = context.WithCancel(context.Background())
}

// at does something at the nth write from now, before it is sent.
func (g *gate) at(n int, do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.onWrite = func() {
		if n--; n == 0 {
			g.onWrite = nil
			do()
		}
	}
}

func (g *gate) counted() (writes, refused int, latest []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.writes, g.refused, g.latest
}

// strayed returns a write to what does not belong to the fleet.
func (g *gate) strayed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.stray) > 0 {
		return fmt.Errorf("%s", strings.Join(slices.Compact(slices.Sorted(slices.Values(g.stray))), ", "))
	}
	return nil
}

// kubeconfig returns a file that leads through the gate.
func (g *gate) kubeconfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
current-context: c
`, g.server.URL), 0o600))
	return file
}
