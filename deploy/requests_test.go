package deploy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/d-aros/d-aros/test/clustertest"
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

// requests are those of a client.
type requests struct{ clustertest.Recorder }

// uses are the rights that requests needed.
type uses struct {
	needed       map[right]bool // of the reconciler itself
	impersonated map[right]bool // of accounts
	refused      map[right]bool
}

// uses returns which rights the requests so far needed.
func (r *requests) uses() uses {
	u := uses{needed: map[right]bool{}, impersonated: map[right]bool{}, refused: map[right]bool{}}
	for _, q := range r.Requests() {
		need, ok := rightFor(q.Method, q.Path, q.Watch)
		if !ok {
			continue
		}
		if q.Status == http.StatusForbidden {
			u.refused[need] = true
			continue
		}
		needed := u.needed
		if q.Impersonated {
			u.needed[right{"", "serviceaccounts", "impersonate"}] = true
			needed = u.impersonated
		}
		needed[need] = true
		if need.verb == "patch" && q.Status == http.StatusCreated {
			needed[right{need.group, need.resource, "create"}] = true
		}
		if need.resource == "rolebindings" && need.verb == "patch" {
			u.needed[right{need.group, "clusterroles", "bind"}] = true
		}
	}
	return u
}

// has reports whether a request that needs the right went through.
func (r *requests) has(need right) bool { return r.uses().needed[need] }

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
