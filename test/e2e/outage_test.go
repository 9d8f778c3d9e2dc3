package e2e

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestGitDown: while the Git host is away nothing is lost and nothing starts, what
// runs goes on and drift is still corrected.
func TestGitDown(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(2, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	w.commit("an update", app("acme", "shop", web(2, "2")))

	away := w.repo + ".away"
	require.NoError(t, os.Rename(w.repo, away))
	services := w.cluster.Clientset.CoreV1().Services(w.name + "-acme")
	require.NoError(t, services.Delete(t.Context(), "shop-web", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		r, err := w.loop.Pass(t.Context())
		require.Error(t, err)
		require.Error(t, r.SourceErr)
		require.Contains(t, r.SourceErr.Error(), "source unavailable")
		_, err = services.Get(t.Context(), "shop-web", metav1.GetOptions{})
		return err == nil
	}, patience, 100e6, "the deleted Service is put back while Git is away")
	require.Error(t, w.loop.Ready())
	require.Equal(t, "registry.example.com/web:1", w.image("shop-web"))

	require.NoError(t, os.Rename(away, w.repo))
	w.pass()
	require.NoError(t, w.loop.Ready())
	w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "registry.example.com/web:2", w.image("shop-web"))
}

// TestProtectedStatusBranch: save before act. What cannot be saved is not done.
func TestProtectedStatusBranch(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(2, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	hook := filepath.Join(w.repo, "hooks", "update")
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\n[ \"$1\" != refs/heads/status ] || { echo 'status is protected' >&2; exit 1; }\n"), 0o755))

	w.commit("an update", app("acme", "shop", web(2, "2")))
	writes := w.writes.Load()
	_, err := w.loop.Pass(t.Context())
	require.ErrorContains(t, err, "nothing new is started")
	require.Equal(t, writes, w.writes.Load())
	require.Equal(t, "registry.example.com/web:1", w.image("shop-web"))

	require.NoError(t, os.Remove(hook))
	w.pass()
	w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "registry.example.com/web:2", w.image("shop-web"))
}

// TestAPIServerDown: while the API server is away nothing is decided on what is
// not seen; when it is back the pending change is carried out.
func TestAPIServerDown(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	road := newRoad(t, w.cluster.Config)
	w.stop()
	w.engine = newEngine(t, w.repo, w.name, road.config)
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(2, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	commits := w.statusCommits()

	road.close()
	w.commit("an update", app("acme", "shop", web(2, "2")))
	require.Eventually(t, func() bool {
		_, err := w.loop.Pass(t.Context())
		return err != nil
	}, patience, 100e6, "the outage is noticed")
	require.Equal(t, "registry.example.com/web:1", w.image("shop-web"))
	before := w.ledger()
	inst, _ := before.Find(id("shop"))
	require.NotEqual(t, model.PhaseDegraded, inst.Phase, "an API server that is away says nothing about applications")
	require.LessOrEqual(t, w.statusCommits(), commits+1)

	road.open()
	require.Eventually(t, func() bool {
		_, err := w.loop.Pass(t.Context())
		return err == nil
	}, patience, 100e6)
	w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "registry.example.com/web:2", w.image("shop-web"))
}

// TestDiskFull: a full disk under the object store is an outage of the source, and
// no more.
func TestDiskFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root: mounts a small file system to fill it")
	}
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"))
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	w.stop()
	w.engine = newEngineIn(t, dir, w.repo, w.name, w.cluster.Config)
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(2, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()

	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	w.commit("an update", app("acme", "shop", web(2, "2")))
	r, err := w.loop.Pass(t.Context())
	if err == nil {
		err = r.SourceErr
	}
	require.ErrorContains(t, err, "no space left on device")
	require.Equal(t, "registry.example.com/web:1", w.image("shop-web"))

	require.NoError(t, os.Remove(ballast))
	w.pass()
	w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "registry.example.com/web:2", w.image("shop-web"))
}

// fill writes until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	for _, size := range []int{1 << 16, 1 << 12, 1} {
		for block := make([]byte, size); err == nil; {
			_, err = f.Write(block)
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		err = nil
	}
}

// image is what the Deployment of the tenant runs.
func (w *world) image(name string) string {
	w.t.Helper()
	live, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(w.t.Context(), name, metav1.GetOptions{})
	require.NoError(w.t, err)
	return live.Spec.Template.Spec.Containers[0].Image
}

// road is the way to the API server, which can be closed.
type road struct {
	config  *rest.Config
	target  string
	address string

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

func newRoad(t *testing.T, cluster *rest.Config) *road {
	t.Helper()
	target, err := url.Parse(cluster.Host)
	require.NoError(t, err)
	r := &road{config: rest.CopyConfig(cluster), target: target.Host, address: "127.0.0.1:0"}
	r.open()
	r.config.Host = "https://" + r.address
	r.config.ServerName = target.Hostname()
	t.Cleanup(r.close)
	return r
}

func (r *road) open() {
	listener, err := net.Listen("tcp", r.address)
	if err != nil {
		panic(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listener, r.address = listener, listener.Addr().String()
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", r.target)
			if err != nil {
				from.Close()
				continue
			}
			r.mu.Lock()
			r.conns = append(r.conns, from, to)
			r.mu.Unlock()
			go func() { _, _ = io.Copy(to, from); to.Close() }()
			go func() { _, _ = io.Copy(from, to); from.Close() }()
		}
	}()
}

func (r *road) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listener.Close()
	for _, c := range r.conns {
		c.Close()
	}
	r.conns = nil
}
