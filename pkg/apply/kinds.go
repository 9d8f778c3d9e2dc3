package apply

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// kind is a group and kind, in a version or, if that is "", the preferred one.
type kind = schema.GroupVersionKind

// mapping is how the API server serves a kind.
type mapping struct {
	kind       kind
	resource   schema.GroupVersionResource
	namespaced bool
}

// path is the path of an object, without a name of all objects, and without a namespace
// of those in all namespaces.
func (m mapping) path(namespace, name string) string {
	p := "/apis/" + m.resource.Group + "/" + m.resource.Version
	if m.resource.Group == "" {
		p = "/api/" + m.resource.Version
	}
	if m.namespaced && namespace != "" {
		p += "/namespaces/" + namespace
	}
	p += "/" + m.resource.Resource
	if name != "" {
		p += "/" + name
	}
	return p
}

// forgetAfter bounds how often an unknown kind starts discovery again: its definition
// may have been added meanwhile.
const forgetAfter = 5 * time.Second

// kinds knows how the API server serves kinds, from discovery.
type kinds struct {
	asking sync.Mutex // one discovery at a time
	mapper *restmapper.DeferredDiscoveryRESTMapper

	mu    sync.Mutex
	known map[kind]mapping
	asked time.Time // of the last discovery for an unknown kind
}

func newKinds(cfg *rest.Config, hc *http.Client) (*kinds, error) {
	dc, err := discovery.NewDiscoveryClientForConfigAndClient(cfg, hc)
	if err != nil {
		return nil, err
	}
	return &kinds{
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(dc)),
		known:  map[kind]mapping{},
	}, nil
}

// unknownKind is the error for a kind that the API server does not serve.
type unknownKind struct{ kind kind }

func (e *unknownKind) Error() string {
	return fmt.Sprintf("the cluster does not know the kind %s", e.kind.GroupKind())
}

// find returns how a kind is served. Discovery itself cannot be cancelled, but the call returns when ctx ends.
func (k *kinds) find(ctx context.Context, want kind) (mapping, error) {
	m, ok := k.have(want)
	if ok {
		return m, nil
	}
	var err error // no result: a call that returns early would write it beside the goroutine
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		m, err = k.ask(want)
	}()
	select {
	case <-asked:
		return m, err
	case <-ctx.Done():
		return mapping{}, ctx.Err()
	}
}

// have returns how a kind is served if that is known.
func (k *kinds) have(want kind) (mapping, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, ok := k.known[want]
	return m, ok
}

func (k *kinds) ask(want kind) (mapping, error) {
	k.asking.Lock()
	defer k.asking.Unlock()
	versions := []string{want.Version}
	if want.Version == "" {
		versions = nil
	}
	m, err := k.mapper.RESTMapping(want.GroupKind(), versions...)
	if meta.IsNoMatchError(err) && k.mayForget() {
		k.mapper.Reset()
		m, err = k.mapper.RESTMapping(want.GroupKind(), versions...)
	}
	if meta.IsNoMatchError(err) {
		return mapping{}, &unknownKind{want}
	}
	if err != nil {
		return mapping{}, fmt.Errorf("ask the API server for its kinds: %w", err)
	}
	found := mapping{kind: m.GroupVersionKind, resource: m.Resource, namespaced: m.Scope.Name() == meta.RESTScopeNameNamespace}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[want] = found
	return found, nil
}

func (k *kinds) mayForget() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.asked) <= forgetAfter {
		return false
	}
	k.asked = time.Now()
	return true
}

// expect lets the next unknown kind start discovery at once: definitions were just
// applied.
func (k *kinds) expect() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = time.Time{}
}

// synced reports whether the kind is known and its watch has seen all objects of a
// namespace. It does not wait.
func (k *kinds) synced(want kind, namespace string, l *Live) bool {
	if _, ok := k.have(want); !ok {
		return false
	}
	l.mu.Lock()
	w := l.watches[l.place(want.GroupKind(), namespace)]
	l.mu.Unlock()
	return w != nil && isClosed(w.synced)
}
