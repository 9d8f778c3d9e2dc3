package kubernetes_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// gate is a way to the API server that can be closed.
type gate struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	shut     bool
	open     map[net.Conn]bool
}

func newGate(t testing.TB, target string) *gate {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	g := &gate{listener: l, target: target, open: map[net.Conn]bool{}}
	t.Cleanup(func() { l.Close(); g.set(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.serve(c)
		}
	}()
	return g
}

func (g *gate) serve(c net.Conn) {
	defer c.Close()
	up, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer up.Close()
	g.mu.Lock()
	if g.shut {
		g.mu.Unlock()
		return
	}
	g.open[c] = true
	g.mu.Unlock()
	go func() { _, _ = io.Copy(up, c); up.Close() }()
	_, _ = io.Copy(c, up)
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	for c := range g.open {
		if shut {
			c.Close()
			delete(g.open, c)
		}
	}
}

func TestOutageIsAnErrorAndEnds(t *testing.T) {
	f := setup(t)
	f.act(f.set("config", 1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: config}, data: {a: b}}"))
	host, err := url.Parse(f.Config.Host)
	require.NoError(t, err)
	g := newGate(t, host.Host)
	cfg := rest.CopyConfig(f.Config)
	cfg.Host = "https://" + g.listener.Addr().String()
	r, err := kubernetes.New(cfg, kubernetes.Options{Fleet: f.fleet})
	require.NoError(t, err)
	t.Cleanup(r.Close)
	before, err := r.Inspect(t.Context(), f.platform)
	require.NoError(t, err)
	require.Len(t, before.Workloads, 1)

	g.set(true)
	began := time.Now()
	require.Eventually(t, func() bool {
		_, err := r.Inspect(t.Context(), f.platform)
		return err != nil
	}, patience, 50*time.Millisecond)
	require.Greater(t, time.Since(began), kubernetes.Stale, "a restart of the API server is not an outage")
	report := r.Apply(t.Context(), nil)
	require.NoError(t, report.Err, "nothing to do")

	// What happens meanwhile is seen afterwards.
	f.act(f.set("config", 2, "{apiVersion: v1, kind: ConfigMap, metadata: {name: config}, data: {a: c}}"))
	g.set(false)
	require.Eventually(t, func() bool {
		after, err := r.Inspect(t.Context(), f.platform)
		return err == nil && len(after.Workloads) == 1 && after.Workloads[0].Digest == digest(2)
	}, patience, 50*time.Millisecond)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.restart().Inspect(ctx, f.platform)
	require.ErrorIs(t, err, context.Canceled)
	_, ok := f.find("config")
	require.True(t, ok)
}
