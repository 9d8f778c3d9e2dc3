package apply

import (
	"context"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	secretKind  = schema.GroupKind{Kind: "Secret"}
	bindingKind = kind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}
)

// learns is how long an API server may take to learn of a new RoleBinding, by a watch.
const learns = 5 * time.Second

// accounts are the ServiceAccounts that requests impersonate, one in each namespace.
// Its methods may be called from any goroutine.
type accounts struct {
	name string // of all, "" if nobody is impersonated
	now  func() time.Time

	mu    sync.Mutex
	since map[string]time.Time // when an account got its rights from this process, by namespace
}

func newAccounts(name string, now func() time.Time) *accounts {
	return &accounts{name: name, now: now, since: map[string]time.Time{}}
}

// of returns the account of a namespace.
func (a *accounts) of(namespace string) *account { return &account{a, namespace} }

// granted notes that an object was applied: it may be what gives an account its rights.
func (a *accounts) granted(r Ref) {
	if a.name == "" || r != a.of(r.Namespace).binding() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since[r.Namespace] = a.now()
}

// account is the ServiceAccount of one namespace.
type account struct {
	*accounts
	namespace string
}

func (a *account) user() string {
	return "system:serviceaccount:" + a.namespace + ":" + a.name
}

// binding names the RoleBinding that gives the account its rights.
func (a *account) binding() Ref { return Ref{bindingKind.Group, bindingKind.Kind, a.namespace, a.name} }

// young reports whether an API server may not know the rights of the account yet.
func (a *account) young() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	since, known := a.since[a.namespace]
	return known && a.now().Sub(since) < learns
}

// patiently makes a request, and makes it again while the API server refuses it because it
// does not know the rights of the account yet. A nil account waits for nothing.
func (a *account) patiently(ctx context.Context, do func() error) error {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second/2) {
		err := do()
		if a == nil || !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), a.user()) || !a.young() {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// watcher returns the client that watches the objects of a namespace, "" for all.
func (l *Live) watcher(namespace string) *client {
	if namespace == "" {
		return l.client
	}
	return l.client.as(l.accounts.of(namespace))
}

// reachable reports whether requests about the objects of a namespace can be made: there is
// the account that they impersonate.
func (w *work) reachable(namespace string) bool {
	return w.as(namespace).account == nil || w.live.bound(namespace)
}

// bound reports whether the account of a namespace has its rights, as far as is known.
func (l *Live) bound(namespace string) bool {
	as := l.accounts.of(namespace)
	binding, _, _ := l.find(as.binding())
	return binding != nil || as.young()
}
