package deploy

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/transport"
)

// A right is one verb on one kind of object.
type right struct{ group, resource, verb string }

// granted lists the rights that rules give.
func granted(rules []rbacv1.PolicyRule) map[right]bool {
	rights := map[right]bool{}
	for _, rule := range rules {
		for _, g := range rule.APIGroups {
			for _, r := range rule.Resources {
				for _, v := range rule.Verbs {
					rights[right{g, r, v}] = true
				}
			}
		}
	}
	return rights
}

// requests notes which rights the requests of a client need.
type requests struct {
	next http.RoundTripper

	mu           sync.Mutex
	needed       map[right]bool // of the reconciler itself
	impersonated map[right]bool // of accounts
	refused      map[right]bool
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	r.next = next
	return r
}

// RoundTrip sends the request and notes what it asked for.
func (r *requests) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := r.next.RoundTrip(q)
	need, ok := rightFor(q.Method, q.URL.Path, q.URL.Query().Get("watch"))
	if err != nil || !ok {
		return answer, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer.StatusCode == http.StatusForbidden {
		r.refused[need] = true
		return answer, nil
	}
	needed := r.needed
	if q.Header.Get(transport.ImpersonateUserHeader) != "" {
		r.needed[right{"", "serviceaccounts", "impersonate"}] = true
		needed = r.impersonated
	}
	needed[need] = true
	if need.verb == "patch" && answer.StatusCode == http.StatusCreated {
		needed[right{need.group, need.resource, "create"}] = true
	}
	if need.resource == "rolebindings" && need.verb == "patch" {
		r.needed[right{need.group, "clusterroles", "bind"}] = true
	}
	return answer, nil
}

// has reports whether a request that needs the right went through.
func (r *requests) has(need right) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.needed[need]
}

// rightFor returns the right that a request for objects needs. What everybody may ask, such as which kinds there are,
// needs none.
func rightFor(method, path, watch string) (right, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var group string
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:] // api v1
	case len(parts) > 3 && parts[0] == "apis":
		group, parts = parts[1], parts[3:] // apis group version
	default:
		return right{}, false
	}
	if group == "authorization.k8s.io" {
		return right{}, false // everybody may ask what he may do
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	verb := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get"}[method]
	switch {
	case verb != "get" || len(parts) > 1:
	case watch == "true" || watch == "1":
		verb = "watch"
	default:
		verb = "list"
	}
	resource := parts[0]
	if len(parts) > 2 {
		resource += "/" + parts[2]
	}
	return right{group, resource, verb}, true
}

func TestRightFor(t *testing.T) {
	for request, want := range map[string]right{
		"GET /api/v1/nodes":                                     {"", "nodes", "list"},
		"GET /api/v1/nodes watch":                               {"", "nodes", "watch"},
		"PATCH /api/v1/namespaces/a":                            {"", "namespaces", "patch"},
		"GET /api/v1/namespaces/a/secrets/s":                    {"", "secrets", "get"},
		"POST /api/v1/namespaces/a/events":                      {"", "events", "create"},
		"DELETE /apis/apps/v1/namespaces/a/deployments/d":       {"apps", "deployments", "delete"},
		"PATCH /apis/apps/v1/namespaces/a/deployments/d/status": {"apps", "deployments/status", "patch"},
	} {
		method, path, _ := strings.Cut(request, " ")
		path, watching := strings.CutSuffix(path, " watch")
		watch := map[bool]string{true: "true"}[watching]
		got, ok := rightFor(method, path, watch)
		require.True(t, ok, request)
		require.Equal(t, want, got, request)
	}
	for _, path := range []string{"/api", "/apis", "/api/v1", "/apis/apps/v1", "/version"} {
		_, ok := rightFor("GET", path, "")
		require.False(t, ok, path)
	}
}
