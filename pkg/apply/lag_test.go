package apply_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// lag holds back what watches of a resource show, from now until the test ends or it is
// released: watches of different kinds are not in step with each other.
type lag struct {
	http.RoundTripper
	resource string
	mu       sync.RWMutex
}

func (l *lag) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err == nil && r.URL.Query().Get("watch") != "" && strings.HasSuffix(r.URL.Path, "/"+l.resource) {
		answer.Body = &late{answer.Body, l}
	}
	return answer, err
}

type late struct {
	io.ReadCloser
	lag *lag
}

func (l *late) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.lag.mu.RLock()
	defer l.lag.mu.RUnlock()
	return n, err
}

// TestDeletedBeforeTheWatchSaysSo: the watch of inventories may show that one is gone before
// that of Deployments shows that those listed in it are being deleted. That is no lost inventory.
func TestDeletedBeforeTheWatchSaysSo(t *testing.T) {
	f := setup(t)
	slow := &lag{resource: "deployments"}
	cfg := rest.CopyConfig(f.Config)
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { slow.RoundTripper = rt; return slow })
	a := f.applierFor(cfg)
	f.apply(a, f.tenant(), f.set("shop", deployment("web", "shop:1", "replicas: 0")))
	f.settles(a, f.set("shop", deployment("web", "shop:1", "replicas: 0")))

	slow.mu.Lock()
	t.Cleanup(sync.OnceFunc(slow.mu.Unlock))
	f.apply(a, f.set("shop"))
	f.eventually(func() bool {
		for _, o := range a.Live().Objects(f.set("shop").App) {
			if o.Kind == "ConfigMap" {
				return false
			}
		}
		return true
	}, "the watch to show that the inventory is gone")
	r := f.apply(a, f.set("shop"))
	require.Empty(t, r.Sets[0].Notices)
	require.Empty(t, r.Sets[0].Results)
	require.Zero(t, r.Requests)
}
